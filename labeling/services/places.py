"""Which slot takes a label, and whether the page that sends it was up to date."""

from __future__ import annotations

import uuid

from django.db.models import Max
from django.utils.translation import gettext as _

from labeling.models import Annotator, Label, LabelQuerySet, Lease, RoundState, Slot, SlotState
from labeling.services.errors import LabelConflict, RoundClosed, SlotLost


def place_for(slot: Slot, annotator: Annotator, token: uuid.UUID | None) -> Slot:
    """The slot that takes the annotator's label, locked; for a lapsed lease a free place or one more."""
    same_case = Slot.objects.select_for_update().filter(round=slot.round_id, item=slot.item_id).order_by("place")
    places = list(same_case)
    if slot.round.state == RoundState.CLOSED:
        raise RoundClosed(_("This round is closed; it takes no more labels."))
    own = next((place for place in places if place.is_held_by(annotator)), None)
    if own is None:
        given = Lease.objects.filter(annotator=annotator, slot__in=places)
        if not (given.filter(token=token) if token else given).exists():
            raise SlotLost(_("This case was never given to you."))
        own = next((place for place in places if place.state == SlotState.FREE), None) or _extra(places[-1])
        own.annotator = annotator
    own.round, own.item = slot.round, slot.item  # fetched already
    return own


def _extra(last: Slot) -> Slot:
    return Slot.objects.create(
        round_id=last.round_id,
        item_id=last.item_id,
        case_id=last.case_id,
        place=last.place + 1,
        position=last.position,
        is_begun=True,
    )


def lease_token(slot: Slot, annotator: Annotator) -> uuid.UUID | None:
    """Of the annotator's newest lease on the slot, lapsed or not: what a late label is known by."""
    return Lease.objects.filter(slot=slot, annotator=annotator).order_by("-pk").values_list("token", flat=True).first()


def own_labels(slot: Slot, annotator: Annotator) -> LabelQuerySet:
    """Every revision of the annotator's on this case in this round, wherever it found its place."""
    return Label.objects.filter(slot__round=slot.round_id, case=slot.case_id, annotator=annotator)


def latest_revision(slot: Slot, annotator: Annotator) -> int:
    return own_labels(slot, annotator).aggregate(latest=Max("revision"))["latest"] or 0


def check_revision(slot: Slot, annotator: Annotator, based_on: int) -> None:
    """Raise unless the page showed the answer that stands now. Submitted and undone elsewhere, it is the same again."""
    latest = latest_revision(slot, annotator)
    if based_on == latest or _shown_by(slot, annotator, based_on) == _shown_by(slot, annotator, latest):
        return
    message = _("You saw revision %(seen)s of your label; revision %(newest)s is newer.")
    stored = own_labels(slot, annotator).current().first()
    raise LabelConflict(message % {"seen": based_on, "newest": latest}, stored)


def _shown_by(slot: Slot, annotator: Annotator, revision: int) -> int | None:
    """The revision whose answer a page on this one shows: after an undo an earlier one, 0 for none."""
    if revision == 0:
        return 0
    label = own_labels(slot, annotator).filter(revision=revision).first()
    if label is None:
        return None
    return label.revision if label.restores is None else label.restores
