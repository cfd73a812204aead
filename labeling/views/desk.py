"""The labeling screen: one case, one annotator, a plain form that keys make quick."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.messages import get_messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from cases.given import read_json
from labeling import services
from labeling.forms import form_fields, read_frame, read_label
from labeling.models import Annotator, RoundState, Slot
from labeling.permissions import own_seat, own_slot
from labeling.screen import case_screen
from labeling.views.undo import take_back, what_was_done


@login_required
@never_cache
def next_case(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Go to the case to label next; without one, back to the round with the reason."""
    round_, annotator = own_seat(request, slug, pk)
    slot = services.next_slot(round_, annotator)
    if slot is not None:
        return redirect(slot)
    said = {
        RoundState.OPEN: _end(services.own_progress(round_, annotator)),
        RoundState.PAUSED: _("The lead has paused this round. Nothing new is given out."),
        RoundState.CLOSED: _("This round is closed. It takes no more labels."),
    }
    messages.info(request, said[RoundState(round_.state)])
    return redirect(round_)


def _end(own: services.Share) -> str:
    """What is, and what comes next."""
    if own.skipped:
        text = ngettext(
            "Nothing is left to label for you but %(n)s case you skipped: it is listed below, with the way back to it.",
            "Nothing is left to label for you but %(n)s cases you skipped: they are listed below, with the way back.",
            own.skipped,
        )
        return text % {"n": own.skipped}
    left = _("Nothing is left to label for you in this round: %(done)s of %(wanted)s done.")
    return left % {"done": own.done, "wanted": own.wanted} + " " + _("The next cases come when the lead opens a round.")


@login_required
@never_cache
def label_case(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    slot, annotator = own_slot(request, slug, pk)
    if slot.round.state == RoundState.CLOSED:
        messages.info(request, _("This round is closed; it takes no more labels. What you had chosen is kept."))
        return redirect(slot.round)
    if request.method != "POST":
        services.renew(slot, annotator)
        return _show(request, slot, annotator)
    act = _skip if request.POST.get("skip") else _ACTS.get(request.POST.get("act", "submit"), _submit)
    try:
        return act(request, slot, annotator)
    except services.LabelConflict as conflict:
        return _show_conflict(request, slot, annotator, conflict)
    except services.LabelingError as error:
        return _show(request, slot, annotator, typed=form_fields(request.POST), error=str(error), status=422)


def _show(
    request: HttpRequest,
    slot: Slot,
    annotator: Annotator,
    *,
    typed: Mapping[str, str] | None = None,
    status: int = 200,
    **more: Any,
) -> HttpResponse:
    """The screen. What was just done is said once, beside the verdicts, so the frame has no message left to show."""
    told = " ".join(str(each) for each in get_messages(request)) or what_was_done(slot.round, annotator)
    context = {**case_screen(slot, annotator, typed), "told": told, "messages": (), **more}
    return render(request, "labeling/case.html", context, status=status)


def _show_conflict(
    request: HttpRequest, slot: Slot, annotator: Annotator, conflict: services.LabelConflict
) -> HttpResponse:
    """Both values side by side; what was typed is still in the form, which now stands on the newer revision."""
    typed = form_fields(request.POST)
    stored = services.form_content(conflict.stored) if conflict.stored else {}
    screen = case_screen(slot, annotator, typed)
    differing = [
        {"title": row.title, "stored": stored.get(row.name, ""), "typed": typed.get(row.name, "")}
        for row in screen["rows"]
        if stored.get(row.name, "") != typed.get(row.name, "")
    ]
    more = {"stored": conflict.stored, "typed_critique": typed.get("critique", ""), "differing": differing}
    return render(request, "labeling/case.html", {**screen, "conflict": str(conflict), **more}, status=409)


def _submit(request: HttpRequest, slot: Slot, annotator: Annotator) -> HttpResponse:
    fields = form_fields(request.POST)
    label = services.submit_label(
        slot=slot,
        annotator=annotator,
        **read_label({**fields, **_locked(slot, annotator)}, services.asked_questions(slot)),
        **read_frame(request.POST),
    )
    if label.slot_id != slot.pk:
        messages.info(request, _("Someone else took this place. Your label is kept as an extra."))
    return redirect("labeling:next", slot.round.project.slug, slot.round_id)


def _locked(slot: Slot, annotator: Annotator) -> dict[str, str]:
    """Answers given before the expected answer was open: their fields are disabled, so the form does not send them."""
    draft = services.draft_of(slot, annotator)
    return {f"v-{key}": word for key, word in draft.locked.items()} if draft and draft.is_opened else {}


def _open(request: HttpRequest, slot: Slot, annotator: Annotator) -> HttpResponse:
    """Open the expected answer: only once everything that needs no reference is answered."""
    fields = form_fields(request.POST)
    before = [question for question in services.asked_questions(slot) if not question.needs_expected]
    locked = {question.key: fields.get(f"v-{question.key}", "") for question in before}
    if missing := [_(question.title) for question in before if not locked[question.key]]:
        raise services.LabelRefused(
            _("Answer these before you open the expected answer: %(names)s.") % {"names": ", ".join(missing)}
        )
    services.open_expected(slot, annotator, fields, locked)
    return redirect(f"{slot.get_absolute_url()}#expected")


def _skip(request: HttpRequest, slot: Slot, annotator: Annotator) -> HttpResponse:
    services.save_draft(slot, annotator, form_fields(request.POST))
    services.skip_slot(slot, annotator, request.POST.get("skip", ""))
    return redirect("labeling:next", slot.round.project.slug, slot.round_id)


def _flag(request: HttpRequest, slot: Slot, annotator: Annotator) -> HttpResponse:
    services.save_draft(slot, annotator, form_fields(request.POST))
    services.flag_slot(slot, annotator, is_flagged=request.POST.get("is_flagged") != "1")
    return redirect(slot)


def _undo_here(request: HttpRequest, slot: Slot, annotator: Annotator) -> HttpResponse:
    """Take back the label or the skip of the case shown; on a case without either, the last act of the round."""
    services.save_draft(slot, annotator, form_fields(request.POST))
    shown = services.own_labels(slot, annotator).current().first() or services.skip_of(slot, annotator)
    return take_back(request, shown or services.last_act(slot.round, annotator), back=slot.get_absolute_url())


_ACTS = {"submit": _submit, "open": _open, "skip": _skip, "flag": _flag, "undo": _undo_here}


@login_required
@require_POST
def save_draft(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """The form's fields as JSON, kept on the server; the answer says when."""
    slot, annotator = own_slot(request, slug, pk)
    try:
        sent = read_json(request.body)
        assert isinstance(sent, dict)
    except (ValueError, AssertionError):
        return JsonResponse({"error": "the draft is no JSON object"}, status=400)
    try:
        services.save_draft(slot, annotator, form_fields(sent))
    except services.LabelingError as error:
        return JsonResponse({"error": str(error)}, status=409)
    return JsonResponse({"saved_at": date_format(timezone.localtime(), "H:i:s")})
