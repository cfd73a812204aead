"""Which round and which slot a request may touch. What was never given to a person is not there for them: 404."""

from __future__ import annotations

from django.http import HttpRequest
from django.shortcuts import get_object_or_404

from cases.permissions import signed_in, visible_project
from labeling.models import Annotator, Round, Seat, Slot


def own_seat(request: HttpRequest, slug: str, pk: int) -> tuple[Round, Annotator]:
    """The round and who the person is in it; 404 for everybody without a seat there."""
    project, user = visible_project(request, slug), signed_in(request)
    seats = Seat.objects.select_related("round__project", "annotator__user")
    seat = get_object_or_404(seats, round__project=project, round=pk, annotator__user=user)
    return seat.round, seat.annotator


def own_slot(request: HttpRequest, slug: str, pk: int) -> tuple[Slot, Annotator]:
    """The slot, if it was ever given to the person; 404 for everybody else."""
    project, user = visible_project(request, slug), signed_in(request)
    mine = Slot.objects.visible_to(user).filter(round__project=project)
    slot = get_object_or_404(
        mine.select_related("round__project", "round__question_set", "item__row__case").prefetch_related(
            "round__question_set__questions"
        ),
        pk=pk,
    )
    seat = get_object_or_404(Seat.objects.select_related("annotator__user"), round=slot.round, annotator__user=user)
    return slot, seat.annotator
