"""Who must not know what a judge or another person said, and whether a label was given without knowing it."""

from __future__ import annotations

from django.db.models import QuerySet

from cases.models import Case, Exposure, User
from labeling.models import Annotator, Blind, Round, RoundState, Slot


def cases_to_stay_blind_about(user: User, cases: QuerySet[Case]) -> QuerySet[Case]:
    """Those of ``cases`` that a round where the person has a seat still asks about. Training rounds may reveal."""
    rounds = Round.objects.seating(user).filter(is_training=False).exclude(state=RoundState.CLOSED)
    return cases.filter(pk__in=Slot.objects.filter(round__in=rounds).values("case"))


def blindness_of(annotator: Annotator, case_id: int, round_: Round) -> str:
    """ "no" once the person has seen scores of the case, or in training; unknown after a close, which lets all see."""
    if round_.is_training:
        return Blind.NO
    if annotator.user_id and Exposure.objects.filter(user_id=annotator.user_id, case_id=case_id).exists():
        return Blind.NO
    return Blind.UNKNOWN if round_.closed_at else Blind.YES
