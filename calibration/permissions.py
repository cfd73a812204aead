"""Who may open scores of cases and the figures made of them. To anyone else they are not there: 404."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render

from calibration.models import Calibration
from cases.access import hidden_samples, role_in
from cases.models import Case, Project, Role
from cases.permissions import require_scores, signed_in, visible_project


def judged_project(request: HttpRequest, slug: str) -> Project:
    """The project, for leads and adjudicators."""
    project = visible_project(request, slug)
    if role_in(signed_in(request), project) not in {Role.LEAD, Role.ADJUDICATOR}:
        raise Http404
    return project


def visible_calibrations(request: HttpRequest, project: Project) -> QuerySet[Calibration]:
    """The frozen ones, but for those over a sample that the person is still to label blind."""
    hidden = hidden_samples(signed_in(request), project.samples.all())
    return project.calibrations.exclude(sample__in=hidden).select_related("sample", "evaluator")


def visible_calibration(request: HttpRequest, slug: str, number: int) -> Calibration:
    """The frozen one of this number; 404 while the person is still to label a case of its sample blind."""
    project = judged_project(request, slug)
    found = get_object_or_404(project.calibrations.select_related("sample__version", "evaluator"), number=number)
    if found.sample is not None:
        require_scores(request, project, Case.objects.of_sample(found.sample))
    return found


def says_who_is_blind(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """What is not there for a lead or adjudicator with a seat in an open round is a sentence, still with 404.

    The same one for what exists and for what does not, so that it reveals neither.
    """

    @wraps(view)
    def told(request: HttpRequest, slug: str, **rest: Any) -> HttpResponse:
        try:
            return view(request, slug, **rest)
        except Http404:
            project = judged_project(request, slug)
            if not is_blind(request, project):
                raise
            return render(request, "calibration/blind.html", status=404)

    return told


def is_blind(request: HttpRequest, project: Project) -> bool:
    """Whether a seat in an open round keeps results of the project from the person."""
    return bool(hidden_samples(signed_in(request), project.samples.all()))
