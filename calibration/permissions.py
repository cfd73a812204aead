"""Who may open scores of cases and the figures made of them. To anyone else they are not there: 404."""

from __future__ import annotations

from django.db.models import QuerySet
from django.http import Http404, HttpRequest

from calibration.models import Calibration
from cases.access import hidden_samples, may_see_scores, role_in
from cases.models import Case, Project, Role
from cases.permissions import signed_in, visible_project


def judged_project(request: HttpRequest, slug: str) -> Project:
    """The project, for leads and adjudicators."""
    project = visible_project(request, slug)
    if role_in(signed_in(request), project) not in {Role.LEAD, Role.ADJUDICATOR}:
        raise Http404
    return project


def require_scores(request: HttpRequest, project: Project, cases: QuerySet[Case]) -> None:
    """404 for who is still to label one of these cases blind."""
    if not may_see_scores(signed_in(request), project, cases):
        raise Http404


def visible_calibrations(request: HttpRequest, project: Project) -> QuerySet[Calibration]:
    """The frozen ones, but for those over a sample that the person is still to label blind."""
    hidden = hidden_samples(signed_in(request), project.samples.all())
    return project.calibrations.exclude(sample__in=hidden).select_related("sample", "evaluator")


def is_blind(request: HttpRequest, project: Project) -> bool:
    """Whether a seat in an open round keeps results of the project from the person."""
    return bool(hidden_samples(signed_in(request), project.samples.all()))
