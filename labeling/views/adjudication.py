"""Adjudication: the cases people left undecided, their verdicts side by side, no judge in sight."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from cases.models import Case, DatasetRow
from cases.permissions import signed_in, visible_project
from cases.services import ensure_units
from labeling import services
from labeling.forms import RulingForm
from labeling.models import Label, Round, RulingReason, UnitVerdict, VerdictWord
from labeling.screen import UNIT_LETTERS, verdict_words
from labeling.services import OpenCase
from labeling.words import UNIT_WORDS, FailureMode

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@login_required
@never_cache
def adjudicate(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """One undecided case after the other. 404 for who has a seat in an open round, and for annotators."""
    project, user = visible_project(request, slug), signed_in(request)
    may_rule = Round.objects.adjudicable_by(user).filter(project=project)
    round_ = get_object_or_404(may_rule.select_related("project", "sample", "question_set"), pk=pk)
    found = services.adjudication(round_, user)
    queue, ruled = found.undecided, found.ruled
    here = reverse("labeling:adjudicate", args=[slug, pk])
    form = RulingForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        chosen = form.cleaned_data
        item = _find([*queue, *ruled], str(chosen["case"]), chosen["metric"])
        if item is not None:
            _rule(item, chosen, user)
            messages.info(request, _ruled(item, chosen["verdict"]))
            following = found.after(item)
            return redirect(here + (_address(following) if following else ""))
    asked = request.GET if request.method == "GET" else request.POST
    item = _find([*queue, *ruled], asked.get("case", ""), asked.get("metric", ""))
    if item is None:
        item = queue[0] if queue else None
    context = {"round": round_, "found": found, "item": item, "here": here, "form": form}
    return render(request, "labeling/adjudicate.html", context | (_side_by_side(round_, item) if item else {}))


def _find(items: list[OpenCase], case: str, metric: str) -> OpenCase | None:
    return next((item for item in items if str(item.case.pk) == case and item.question.key == metric), None)


def _rule(item: OpenCase, chosen: dict[str, Any], user: Any) -> None:
    services.rule_on(
        case=item.case,
        metric=item.question.key,
        verdict=chosen["verdict"],
        user=user,
        reason=chosen["reason"],
        note=chosen["note"],
    )


def _ruled(item: OpenCase, verdict: str) -> str:
    return _("Ruled: %(case)s, %(question)s: %(verdict)s.") % {
        "case": item.case.external_id,
        "question": _(item.question.title),
        "verdict": VerdictWord(verdict).label,
    }


def _address(item: OpenCase) -> str:
    return f"?{urlencode({'case': str(item.case.pk), 'metric': item.question.key})}"


def _side_by_side(round_: Round, item: OpenCase) -> dict[str, Any]:
    """The case and what each annotator said; names are letters, in a fixed order."""
    row = get_object_or_404(
        DatasetRow.objects.select_related("case"), case=item.case, sample_items__sample=round_.sample
    )
    said = services.round_label_rows(round_, item.question.key, Case.objects.filter(pk=item.case.pk))
    units = _unit_words([each.label_id for each in said], item.question.key)
    labels = Label.objects.in_bulk([each.label_id for each in said])
    modes: dict[str, Any] = dict(FailureMode.choices)
    people = [
        {
            "letter": letter,
            "verdict": each.verdict,
            "grade": each.grade,
            "critique": each.note,
            "failure_mode": modes.get(labels[each.label_id].failure_mode, ""),
            "units": units.get(each.label_id, ""),
            "key": key,
        }
        for letter, each, key in zip(_LETTERS, said, ["4", "5", *[""] * 24], strict=False)
    ]
    return {
        "row": row,
        "units": ensure_units(row),
        "people": people,
        "reasons": RulingReason.choices,
        "words": verdict_words(),
        "address": _address(item),
    }


def _unit_words(label_ids: list[int], metric: str) -> dict[int, str]:
    """What each label says of the units, "C2 Contradicted, C3 Not in context"."""
    found: dict[int, list[str]] = {}
    for unit in UnitVerdict.objects.filter(label_id__in=label_ids, metric=metric).order_by("kind", "index"):
        word = UNIT_WORDS.get(unit.kind, {}).get(unit.verdict, unit.verdict)
        found.setdefault(unit.label_id, []).append(f"{UNIT_LETTERS.get(unit.kind, '')}{unit.index + 1} {word}")
    return {pk: ", ".join(words) for pk, words in found.items()}
