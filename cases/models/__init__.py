"""What is judged: projects and their people, dataset versions, cases, units, samples."""

from cases.models.datasets import Case, Dataset, DatasetRow, DatasetVersion, UnitKind, UnitSet
from cases.models.history import AuditEntry, Exposure, ImportJob, ImportState
from cases.models.people import Membership, Project, Role, User
from cases.models.samples import Design, Purpose, Sample, SampleItem

__all__ = [
    "AuditEntry",
    "Case",
    "Dataset",
    "DatasetRow",
    "DatasetVersion",
    "Design",
    "Exposure",
    "ImportJob",
    "ImportState",
    "Membership",
    "Project",
    "Purpose",
    "Role",
    "Sample",
    "SampleItem",
    "UnitKind",
    "UnitSet",
    "User",
]
