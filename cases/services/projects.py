"""Projects, who is in them, and the log of what was done."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.utils.text import slugify
from django.utils.translation import gettext

from cases.models import AuditEntry, Dataset, Membership, Project, User
from cases.services.names import free_name, plain_name, valid_name

DEFAULT_SLUG = "default"
#: Of the 60 letters of its column, so that a number still fits behind it.
_SLUG = 50
_DESCRIPTION = 300


class ProjectError(ValueError):
    """A project, or a dataset of one, that is not there or cannot be made."""


def audit(project: Project | None, user: User | None, action: str, target: object = "", **data: Any) -> None:
    """Append one line to the log of state-changing acts."""
    AuditEntry.objects.create(project=project, user=user, action=action, target=str(target)[:255], data=data)


def default_project() -> Project:
    """The project that commands use when none is named; made at first use."""
    return Project.objects.get_or_create(slug=DEFAULT_SLUG, defaults={"name": "Default"})[0]


def find_project(slug: str | None) -> Project:
    """The named project, the default one for None; an unknown name is answered with those there are."""
    if slug is None or slug == DEFAULT_SLUG:
        return default_project()
    project = Project.objects.filter(slug=slug).first()
    if project is None:
        known = ", ".join(Project.objects.order_by("slug").values_list("slug", flat=True)) or "none yet"
        raise ProjectError(f"there is no project {slug!r}. Projects here: {known}.")
    return project


def find_dataset(project: Project, name: str) -> Dataset:
    """The project's dataset of that name; an unknown one is answered with those there are."""
    dataset = project.datasets.stored().filter(name=plain_name(name)).first()
    if dataset is None:
        known = ", ".join(project.datasets.stored().order_by("name").values_list("name", flat=True)) or "none yet"
        raise ProjectError(f"there is no dataset {name!r} in project {project.slug}. Datasets: {known}.")
    return dataset


@transaction.atomic
def create_project(name: str, *, user: User | None = None, description: str = "", slug: str = "") -> Project:
    """A new project with ``user`` as its lead. The slug is made from the name and is unique.

    Raises ProjectError for a name that cannot be one, or a description that is too long.
    """
    name = valid_name(name, ProjectError)
    if len(description) > _DESCRIPTION:
        long = gettext("The description has %(given)s letters; %(most)s fit.")
        raise ProjectError(long % {"given": len(description), "most": _DESCRIPTION})
    wanted = slugify(slug or name)[:_SLUG].strip("-_") or "project"
    taken = set(Project.objects.filter(slug__startswith=wanted).values_list("slug", flat=True))
    free = free_name(wanted, taken, between="-")
    project = Project.objects.create(slug=free, name=name, description=description)
    if user is not None:
        grant(project, user, "lead")
    audit(project, user, "create project", name)
    return project


def grant(project: Project, user: User, role: str) -> Membership:
    """Give the person this role in the project, in place of any other there."""
    membership, _ = Membership.objects.update_or_create(project=project, user=user, defaults={"role": role})
    return membership
