"""Slots: given out one at a time under a lease, passed on, flagged, drafted."""

from __future__ import annotations

import uuid
from datetime import datetime, timedelta
from typing import Any

from django.db import IntegrityError, connection, transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext

from cases.services import audit
from labeling.models import Annotator, Draft, Flag, Lease, Round, RoundState, Seat, Slot, SlotState
from labeling.services.errors import LabelingError, RoundClosed, SlotLost

LEASE = timedelta(minutes=15)
#: How often a candidate may be taken by somebody faster before "nothing free" is believed.
ATTEMPTS = 20


def next_slot(round_: Round, annotator: Annotator) -> Slot | None:
    """The slot to label next, leased to the annotator; None when nothing is left for them.

    A case they have open comes back first, then places whose lease has lapsed, then cases that others have begun,
    so that overlap completes.
    """
    for _ in range(ATTEMPTS):
        try:
            with transaction.atomic():
                return _next(round_, annotator)
        except (IntegrityError, _Taken):
            continue
    raise LabelingError(gettext("the queue is busy; try again in a moment"))


class _Taken(Exception):  # noqa: N818
    """Somebody was faster between the look and the grip."""


def _next(round_: Round, annotator: Annotator) -> Slot | None:
    # The seat's lock makes two tabs of one person come one after the other.
    if Seat.objects.select_for_update().filter(round=round_, annotator=annotator).first() is None:
        raise SlotLost("you have no seat in this round")
    if round_.state == RoundState.CLOSED:
        return None
    now = timezone.now()
    own = Slot.objects.filter(round=round_, annotator=annotator, state=SlotState.LEASED).order_by("position").first()
    if own is not None:
        return _lease(own, annotator, now, token=own.lease_token)
    if round_.state == RoundState.PAUSED:
        return None
    free = _lapsed(round_, annotator, now) or _free(round_, annotator)
    return None if free is None else _lease(free, annotator, now)


def _lapsed(round_: Round, annotator: Annotator, now: datetime) -> Slot | None:
    slots = Slot.objects.takeable_by(annotator).filter(round=round_, state=SlotState.LEASED, lease_expires_at__lt=now)
    return _first(slots.order_by("position", "place"))


def _free(round_: Round, annotator: Annotator) -> Slot | None:
    slots = Slot.objects.takeable_by(annotator).filter(round=round_, state=SlotState.FREE)
    return _first(slots.order_by("-is_begun", "position", "place"))


def _first(slots: QuerySet[Slot]) -> Slot | None:
    if connection.features.has_select_for_update_skip_locked:
        slots = slots.select_for_update(skip_locked=True, of=("self",))
    return slots.first()


def _lease(slot: Slot, annotator: Annotator, now: datetime, token: uuid.UUID | None = None) -> Slot:
    """Take the slot as it was seen: the row count tells whether it still was so."""
    seen = Slot.objects.filter(pk=slot.pk, state=slot.state, lease_token=slot.lease_token)
    new = token or uuid.uuid4()
    taken = seen.update(
        state=SlotState.LEASED, annotator=annotator, lease_token=new, lease_expires_at=now + LEASE, is_begun=True
    )
    if taken != 1:
        raise _Taken
    if token is None:
        Lease.objects.create(slot=slot, annotator=annotator, token=new)
        if not slot.is_begun:
            Slot.objects.filter(round=slot.round_id, item=slot.item_id).update(is_begun=True)
    return Slot.objects.select_related("round__project", "round__question_set", "item__row__case").get(pk=slot.pk)


def take_place(round_: Round, annotator: Annotator, case_id: int) -> Slot | None:
    """This very case on the annotator's desk; None while others have all its places."""
    now = timezone.now()
    slots = Slot.objects.takeable_by(annotator).waiting(now).filter(round=round_, case=case_id)
    try:
        with transaction.atomic():
            free = _first(slots.order_by("place"))
            return None if free is None else _lease(free, annotator, now)
    except (IntegrityError, _Taken):
        return None


def renew(slot: Slot, annotator: Annotator) -> None:
    """Activity on the page keeps the lease."""
    Slot.objects.filter(pk=slot.pk, annotator=annotator, state=SlotState.LEASED).update(
        lease_expires_at=timezone.now() + LEASE
    )


def release(slot: Slot, annotator: Annotator) -> None:
    """Give an unlabeled slot back at once; the draft stays with the annotator."""
    Slot.objects.filter(pk=slot.pk, annotator=annotator, state=SlotState.LEASED).update(
        state=SlotState.FREE, annotator=None, lease_token=None, lease_expires_at=None
    )


@transaction.atomic
def flag_slot(slot: Slot, annotator: Annotator, *, is_flagged: bool = True) -> None:
    """Mark the case for the lead, or take the mark off. Nobody else sees it."""
    must_be_open(slot)
    if is_flagged:
        Flag.objects.get_or_create(slot=slot, annotator=annotator)
    else:
        Flag.objects.filter(slot=slot, annotator=annotator).delete()
    audit(slot.round.project, annotator.user, "flag case" if is_flagged else "unflag case", slot)


def draft_of(slot: Slot, annotator: Annotator) -> Draft | None:
    return Draft.objects.filter(round=slot.round_id, case=slot.case_id, annotator=annotator).first()


@transaction.atomic
def save_draft(slot: Slot, annotator: Annotator, content: dict[str, Any]) -> Draft:
    """Keep what is chosen so far; it also shows activity, so the lease is renewed."""
    must_be_open(slot)
    draft, _ = Draft.objects.update_or_create(
        round=slot.round, case_id=slot.case_id, annotator=annotator, defaults={"content": content}
    )
    renew(slot, annotator)
    return draft


@transaction.atomic
def open_expected(slot: Slot, annotator: Annotator, content: dict[str, Any], locked: dict[str, Any]) -> Draft:
    """Show the expected answer from now on; what was answered without it is kept as it was."""
    draft = save_draft(slot, annotator, content)
    if not draft.is_opened:
        draft.is_opened, draft.locked = True, locked
        draft.save(update_fields=["is_opened", "locked"])
        audit(slot.round.project, annotator.user, "open expected answer", slot)
    return draft


def must_be_open(slot: Slot) -> None:
    if slot.round.state == RoundState.CLOSED:
        raise RoundClosed("this round is closed; it takes no more labels")
