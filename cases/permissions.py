"""Which project a request may touch, and in which role. What a person may not see is not there: 404."""

from __future__ import annotations

from django.db.models import QuerySet
from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404

from cases.access import may_see_scores
from cases.models import Case, Project, User


def signed_in(request: HttpRequest) -> User:
    """The request's person; views behind ``login_required`` always have one."""
    assert isinstance(request.user, User)
    return request.user


def visible_project(request: HttpRequest, slug: str) -> Project:
    return get_object_or_404(Project.objects.visible_to(signed_in(request)), slug=slug)


def led_project(request: HttpRequest, slug: str) -> Project:
    """The project, for its leads and administrators alone."""
    return get_object_or_404(Project.objects.led_by(signed_in(request)), slug=slug)


def require_scores(request: HttpRequest, project: Project, cases: QuerySet[Case]) -> None:
    """404 for who may not see what judges said of these cases, or is still to label one of them blind."""
    if not may_see_scores(signed_in(request), project, cases):
        raise Http404
