"""The verbs of this app: each is one function, one transaction."""

from cases.services.projects import audit, create_project, default_project, find_project, grant
from cases.services.samples import draw_sample, implicit_sample, resolve_sample
from cases.services.units import ensure_units, ensure_units_of_many

__all__ = [
    "audit",
    "create_project",
    "default_project",
    "draw_sample",
    "ensure_units",
    "ensure_units_of_many",
    "find_project",
    "grant",
    "implicit_sample",
    "resolve_sample",
]
