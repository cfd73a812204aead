"""Undo: the last act of a round, a label or a skip, taken back and named."""

from __future__ import annotations

import uuid

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from labeling import services
from labeling.models import Annotator, Label, Round, Skip
from labeling.permissions import own_seat


@login_required
@require_POST
def undo(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Take back one's last act of a round, from the round's page."""
    round_, annotator = own_seat(request, slug, pk)
    return take_back(request, services.last_act(round_, annotator), back=round_.get_absolute_url())


def take_back(request: HttpRequest, act: Label | Skip | None, *, back: str) -> HttpResponse:
    if act is None:
        messages.info(request, _("There is nothing to undo in this round."))
        return redirect(back)
    try:
        return _take_back_skip(request, act) if isinstance(act, Skip) else _take_back_label(request, act)
    except services.LabelingError as error:
        messages.info(request, str(error))
        return redirect(back)


def _take_back_label(request: HttpRequest, label: Label) -> HttpResponse:
    assert label.slot is not None
    newest = services.latest_revision(label.slot, label.annotator)
    undone = services.undo_label(label.slot, label.annotator, based_on=newest, client_id=uuid.uuid4())
    if undone.is_withdrawn:
        said = _("Taken back: %(case)s. What it said is still in the form.")
    else:
        said = _("Undone on %(case)s: your answer before that one stands again.")
    messages.info(request, said % {"case": label.case.external_id})
    return redirect(label.slot)


def _take_back_skip(request: HttpRequest, skip: Skip) -> HttpResponse:
    slot, case = services.take_back_skip(skip), {"case": skip.slot.case.external_id}
    if slot is not None:
        messages.info(request, _("Skip of %(case)s taken back.") % case)
        return redirect(slot)
    gone = _("Skip of %(case)s taken back. Others have all its places by now; it comes to you if one gets free.")
    messages.info(request, gone % case)
    return redirect("labeling:next", skip.slot.round.project.slug, skip.slot.round_id)


def what_was_done(round_: Round, annotator: Annotator) -> str:
    """The last act that stands, in a line: what undo would take back."""
    act = services.last_act(round_, annotator)
    if isinstance(act, Skip):
        return _("Skipped %(case)s") % {"case": act.slot.case.external_id}
    if act is None:
        return ""
    at = date_format(timezone.localtime(act.created_at), "H:i:s")
    return _("Saved %(case)s, %(at)s") % {"case": act.case.external_id, "at": at}
