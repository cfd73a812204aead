"""Labels: each submission is one more revision; none is ever changed."""

from __future__ import annotations

import uuid
from collections.abc import Sequence

from django.db import IntegrityError, transaction
from django.db.models import Max

from cases.services import audit
from labeling.models import Annotator, Draft, Label, LabelSource, Skip, Slot, SlotState
from labeling.services.blindness import blindness_of
from labeling.services.given import GivenUnitVerdict, GivenVerdict, check_details, check_questions, store_verdicts
from labeling.services.places import check_revision, latest_revision, place_for


def submit_label(
    *,
    slot: Slot,
    annotator: Annotator,
    verdicts: Sequence[GivenVerdict],
    unit_verdicts: Sequence[GivenUnitVerdict] = (),
    critique: str = "",
    failure_mode: str = "",
    seconds: float | None = None,
    based_on: int = 0,
    client_id: uuid.UUID,
    lease_token: uuid.UUID | None = None,
) -> Label:
    """Append the annotator's verdicts as the slot's next revision; earlier ones stay.

    ``based_on`` is the revision the page showed: another tab may have been faster, which is a LabelConflict. Sending
    ``client_id`` again changes nothing. A lease that has lapsed loses nothing: the label was given blind, so it takes
    the place while it is free, else one more place is made for it.
    """
    try:
        with transaction.atomic():
            if repeated := _repeated(annotator, client_id):
                return repeated
            place = place_for(slot, annotator, lease_token)
            if repeated := _repeated(annotator, client_id):  # the same click held the lock until now
                return repeated
            check_questions(place, annotator, verdicts, critique)
            check_details(place, unit_verdicts, failure_mode)
            check_revision(place, annotator, based_on)
            label = append_revision(place, annotator, client_id, critique.strip(), failure_mode, seconds)
            store_verdicts(label, place, verdicts, unit_verdicts)
            Draft.objects.filter(round=place.round_id, case=place.case_id, annotator=annotator).update(content={})
            Skip.objects.of_case(place, annotator).delete()  # labeled after all, from a page that was still open
            log_act("submit label", place, annotator, label)
            return label
    except IntegrityError:
        # The same click arrived twice at once and the other one won.
        if repeated := _repeated(annotator, client_id):
            return repeated
        raise


def _repeated(annotator: Annotator, client_id: uuid.UUID) -> Label | None:
    """What this very click stored already."""
    return Label.objects.filter(annotator=annotator, client_id=client_id).first()


def append_revision(
    slot: Slot,
    annotator: Annotator,
    client_id: uuid.UUID,
    critique: str,
    failure_mode: str,
    seconds: float | None,
    restores: int | None = None,
) -> Label:
    """The label row without its verdicts; the slot is done."""
    newest = max(slot.labels.aggregate(newest=Max("revision"))["newest"] or 0, latest_revision(slot, annotator))
    slot.labels.filter(is_current=True).update(is_current=False)
    label = Label.objects.create(
        case_id=slot.case_id,
        annotator=annotator,
        slot=slot,
        question_set_id=slot.round.question_set_id,
        revision=newest + 1,
        client_id=client_id,
        source=LabelSource.ROUND,
        blind=blindness_of(annotator, slot.case_id, slot.round),
        is_withdrawn=restores == 0,
        restores=restores,
        critique=critique,
        failure_mode=failure_mode,
        seconds=seconds,
    )
    Slot.objects.filter(pk=slot.pk).update(
        state=SlotState.DONE, annotator=annotator, lease_expires_at=None, is_begun=True
    )
    return label


def log_act(action: str, slot: Slot, annotator: Annotator, label: Label) -> None:
    audit(slot.round.project, annotator.user, action, slot, label=label.pk, revision=label.revision)
