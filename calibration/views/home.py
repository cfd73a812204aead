"""The project's first page: where it stands, what to do next, the result in words and circles."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from calibration.chosen import at_in_force, headline_in_force
from calibration.presenting.home import attention, next_act, people, stand, steps, waffles
from cases.access import may_see_scores, role_in
from cases.models import Case, Role
from cases.permissions import signed_in, visible_project


@login_required
def home(request: HttpRequest, slug: str) -> HttpResponse:
    """For leads and adjudicators. Annotators have one place to be: their queue."""
    project = visible_project(request, slug)
    user = signed_in(request)
    if role_in(user, project) == Role.ANNOTATOR:
        return redirect("labeling:rounds", slug)
    # A lead with a seat in an open round is an annotator there: the result waits until the round closes.
    may_see = may_see_scores(user, project, Case.objects.filter(dataset__project=project))
    standing = stand(project, with_result=may_see)
    document = standing.calibration.document if standing.calibration else None
    context = {
        "steps": steps(standing),
        "next": next_act(project, standing),
        "attention": attention(project, standing),
        "people": people(project),
        "calibration": standing.calibration,
        "document": document,
        "headline": headline_in_force(document) if document else None,
        "at": at_in_force(document) if document else None,
        "may_see": may_see,
    }
    return render(request, "calibration/home.html", context | waffles(document))
