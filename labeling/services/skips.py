"""Cases passed on: by whom and why, whether they still want a label, and how a skip is taken back."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from cases.models import Case, User
from cases.services import audit
from labeling.models import Annotator, Round, Skip, SkipQuerySet, Slot
from labeling.services.blindness import cases_to_stay_blind_about
from labeling.services.errors import LabelingError
from labeling.services.slots import must_be_open, release, take_place
from labeling.words import SkipReason

_WITH = ("slot__round__project", "slot__case", "annotator__user")


@dataclass(frozen=True, slots=True)
class SkippedCase:
    """One person's skip. ``reason`` is empty for who must stay blind about the case."""

    skip: Skip
    case: Case
    name: str
    reason: str
    is_waiting: bool


@transaction.atomic
def skip_slot(slot: Slot, annotator: Annotator, reason: str) -> None:
    """Pass the case on to others and say why; the annotator is not offered it again. Twice is once."""
    if reason not in SkipReason.values:
        raise LabelingError(f"{reason!r} is no reason to skip; there are {', '.join(SkipReason.values)}")
    must_be_open(slot)
    if slot.labels.current().filter(annotator=annotator).exists():
        raise LabelingError(gettext("this case has your label already; undo it first"))
    if not Skip.objects.of_case(slot, annotator).exists():
        Skip.objects.create(slot=slot, annotator=annotator, reason=reason)
        audit(slot.round.project, annotator.user, "skip case", slot, reason=reason)
    release(slot, annotator)


def skip_of(slot: Slot, annotator: Annotator) -> Skip | None:
    return Skip.objects.of_case(slot, annotator).select_related(*_WITH).first()


@transaction.atomic
def take_back_skip(skip: Skip) -> Slot | None:
    """The case is on its skipper's desk again; None when others have all its places by now."""
    must_be_open(skip.slot)
    _end(skip, skip.annotator.user, "take back skip")
    return take_place(skip.slot.round, skip.annotator, skip.slot.case_id)


@transaction.atomic
def take_back_skips(round_: Round, annotator: Annotator) -> None:
    """The skipped cases that still want a label come again, in the round's order."""
    for each in _skips(round_).waiting(timezone.now()).filter(annotator=annotator):
        must_be_open(each.slot)
        _end(each, annotator.user, "take back skip")


@transaction.atomic
def offer_again(skip: Skip, user: User) -> None:
    """The lead asks the skipper after all: the case comes again as if it had not been skipped."""
    must_be_open(skip.slot)
    _end(skip, user, "offer skipped case again")


def _end(skip: Skip, user: User | None, action: str) -> None:
    Skip.objects.of_case(skip.slot, skip.annotator).delete()
    audit(skip.slot.round.project, user, action, skip.slot, annotator=skip.annotator.name, reason=skip.reason)


def skipped_cases(round_: Round, viewer: User) -> list[SkippedCase]:
    """Every skip of the round that stands; a person's reason is as telling as a label, so it is hidden alike."""
    found = _skips(round_)
    waiting = set(found.waiting(timezone.now()).values_list("pk", flat=True))
    cases = Case.objects.filter(pk__in=found.values("slot__case"))
    hidden = set(cases_to_stay_blind_about(viewer, cases).values_list("pk", flat=True))
    return [
        _shown(
            each,
            is_waiting=each.pk in waiting,
            is_hidden=each.slot.case_id in hidden and each.annotator.user_id != viewer.pk,
        )
        for each in found
    ]


def own_skipped(round_: Round, annotator: Annotator) -> list[SkippedCase]:
    """What the annotator passed on and still wants a label."""
    own = _skips(round_).waiting(timezone.now()).filter(annotator=annotator)
    return [_shown(each, is_waiting=True) for each in own]


def _skips(round_: Round) -> SkipQuerySet:
    found = Skip.objects.filter(slot__round=round_).select_related(*_WITH)
    return found.order_by("slot__position", "pk")


def _shown(skip: Skip, *, is_waiting: bool, is_hidden: bool = False) -> SkippedCase:
    reason = "" if is_hidden else str(SkipReason(skip.reason).label)
    return SkippedCase(skip, skip.slot.case, skip.annotator.name, reason, is_waiting)
