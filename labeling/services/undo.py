"""Taking an answer back, as one more revision."""

from __future__ import annotations

import uuid

from django.db import transaction
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone
from django.utils.translation import gettext as _

from labeling.models import Annotator, Draft, Label, Round, Skip, Slot, SlotState, UnitVerdict, Verdict
from labeling.services.errors import LabelRefused
from labeling.services.given import form_content
from labeling.services.labels import append_revision, log_act
from labeling.services.places import check_revision, own_labels, place_for
from labeling.services.slots import LEASE, draft_of


def last_act(round_: Round, annotator: Annotator) -> Label | Skip | None:
    """What undo takes back: the newest submission that still stands, or the skip after it.

    Where an undo brought an earlier answer back, that answer counts as given when it was first given.
    """
    current = Label.objects.current().filter(slot__round=round_, annotator=annotator, case=OuterRef("case"))
    stands = Q(restores=None, revision=OuterRef("revision")) | Q(restores=OuterRef("revision"))
    given = Label.objects.filter(slot__round=round_, annotator=annotator, restores=None, is_withdrawn=False)
    label = (
        given.filter(Exists(current.filter(stands)))
        .select_related(
            "slot__round__project", "slot__round__question_set", "slot__item__row__case", "case", "annotator__user"
        )
        .order_by("pk")
        .last()
    )
    skips = Skip.objects.filter(slot__round=round_, annotator=annotator)
    skip = skips.select_related("slot__round__project", "slot__case", "annotator__user").order_by("pk").last()
    if label is None or skip is None:
        return label or skip
    return skip if skip.at > label.created_at else label


def undo_label(slot: Slot, annotator: Annotator, *, based_on: int, client_id: uuid.UUID) -> Label:
    """One step back, as a new revision: equal to the answer before, or without one where there was none."""
    with transaction.atomic():
        if repeated := Label.objects.filter(annotator=annotator, client_id=client_id).first():
            return repeated
        place = place_for(slot, annotator, None)
        if repeated := Label.objects.filter(annotator=annotator, client_id=client_id).first():
            return repeated  # the same click held the lock until now
        check_revision(place, annotator, based_on)
        current = own_labels(place, annotator).filter(is_current=True).first()
        shown = (current.revision if current.restores is None else current.restores) if current else 0
        if current is None or shown == 0:
            raise LabelRefused(_("There is nothing to undo on this case."))
        earlier = _effective(place, annotator, shown - 1)
        _respect_opening(place, annotator, earlier)
        _keep_as_draft(place, annotator, current if earlier is None else None)
        label = append_revision(place, annotator, client_id, "", "", None, restores=earlier.revision if earlier else 0)
        if earlier is not None:
            _copy(earlier, label)
        else:
            _hold_again(place)
        log_act("undo label", place, annotator, label)
        return label


def _effective(slot: Slot, annotator: Annotator, revision: int) -> Label | None:
    """The answer that the revision before stood for; None where there was none."""
    labels = own_labels(slot, annotator)
    label = labels.filter(revision=revision).first()
    if label is None or label.restores is None:
        return label
    return labels.filter(revision=label.restores).first()


def _respect_opening(slot: Slot, annotator: Annotator, earlier: Label | None) -> None:
    """Undo reaches back to where the expected answer was opened, not behind it."""
    draft = draft_of(slot, annotator)
    if earlier is None or draft is None or not draft.is_opened:
        return
    words = dict(earlier.verdicts.values_list("metric", "verdict"))
    if any(words.get(key) != word for key, word in draft.locked.items()):
        raise LabelRefused(_("The step before lies behind the opening of the expected answer: it stays."))


def _copy(earlier: Label, label: Label) -> None:
    label.critique, label.failure_mode, label.seconds = earlier.critique, earlier.failure_mode, earlier.seconds
    label.save(update_fields=["critique", "failure_mode", "seconds"])
    verdicts, units = list(earlier.verdicts.all()), list(earlier.unit_verdicts.all())
    for verdict in verdicts:
        verdict.pk, verdict.label = None, label
    for unit in units:
        unit.pk, unit.label = None, label
    Verdict.objects.bulk_create(verdicts)
    UnitVerdict.objects.bulk_create(units)


def _hold_again(slot: Slot) -> None:
    """Without an answer the slot is on the annotator's desk as before."""
    Slot.objects.filter(pk=slot.pk).update(
        state=SlotState.LEASED,
        lease_token=slot.lease_token or uuid.uuid4(),
        lease_expires_at=timezone.now() + LEASE,
    )


def _keep_as_draft(slot: Slot, annotator: Annotator, taken_back: Label | None) -> None:
    """What was taken back is still in the form; where an earlier answer stands again, the form shows that."""
    content = form_content(taken_back) if taken_back else {}
    Draft.objects.update_or_create(
        round=slot.round, case_id=slot.case_id, annotator=annotator, defaults={"content": content}
    )
