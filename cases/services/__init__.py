"""The verbs of this app: each is one function, one transaction."""

from cases.services.import_jobs import drain_imports, preview_import, read_progress, request_import
from cases.services.imports import ImportRefusedError, ImportSummary, import_file
from cases.services.names import InvalidNameError, free_name, valid_name
from cases.services.projects import (
    ProjectError,
    audit,
    create_project,
    default_project,
    find_dataset,
    find_project,
    grant,
)
from cases.services.samples import SampleError, draw_new_sample, draw_sample, implicit_sample, resolve_sample
from cases.services.units import ensure_units, ensure_units_of_many

__all__ = [
    "ImportRefusedError",
    "ImportSummary",
    "InvalidNameError",
    "ProjectError",
    "SampleError",
    "audit",
    "create_project",
    "default_project",
    "drain_imports",
    "draw_new_sample",
    "draw_sample",
    "ensure_units",
    "ensure_units_of_many",
    "find_dataset",
    "find_project",
    "free_name",
    "grant",
    "implicit_sample",
    "import_file",
    "preview_import",
    "read_progress",
    "request_import",
    "resolve_sample",
    "valid_name",
]
