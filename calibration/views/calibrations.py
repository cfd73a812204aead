"""Calibrations: the list, the draft that is looked at and moved, the frozen one, what is exported of it."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from calibration import services
from calibration.chosen import certificate_in_force, headline_in_force, threshold_in_force
from calibration.forms import AskForm, choices, read_threshold, suggestion
from calibration.models import Calibration, CalibrationState
from calibration.permissions import (
    is_blind,
    judged_project,
    says_who_is_blind,
    visible_calibration,
    visible_calibrations,
)
from calibration.presenting import Page, plain, present
from calibration.presenting.readings import costs_of, interval_kind, threshold_shown
from calibration.presenting.wording import fill, score, templates
from cases.access import role_in
from cases.models import Case, Project, Role
from cases.permissions import led_project, require_scores, signed_in
from cases.services import audit
from cases.templatetags.look import count as count_words
from evaluation.names import metric_name
from labeling.rules import RuleError

PAGE_SIZE = 20


@login_required
@says_who_is_blind
@require_GET
def calibrations(request: HttpRequest, slug: str) -> HttpResponse:
    project = judged_project(request, slug)
    return _list(
        request,
        project,
        AskForm(project=project, viewer=signed_in(request), initial=suggestion(project, signed_in(request))),
    )


def _list(request: HttpRequest, project: Project, form: AskForm, *, nobody_labeled: bool = False) -> HttpResponse:
    frozen = Paginator(visible_calibrations(request, project), PAGE_SIZE).get_page(request.GET.get("page"))
    context = {
        "form": form,
        "choices": choices(project, signed_in(request)),
        "blind": is_blind(request, project),
        "rows": _rows(list(frozen)),
        "page": frozen,
        "nobody_labeled": nobody_labeled,
    }
    return render(request, "calibration/calibrations.html", context)


def _refused(request: HttpRequest, project: Project, form: AskForm, error: ValueError) -> HttpResponse:
    form.add_error(None, str(error))
    is_nobody = getattr(error, "code", "") == services.NOBODY_LABELED
    return _list(request, project, form, nobody_labeled=is_nobody)


def _rows(frozen: list[Calibration]) -> list[dict[str, Any]]:
    known: services.Known = {}  # calibrations of one sample share what is looked up
    rows = []
    for each in frozen:
        document = each.document
        threshold = threshold_in_force(document)
        rows.append(
            {
                "calibration": each,
                "document": document,
                "headline": headline_in_force(document),
                "threshold": None if threshold is None else score(threshold),
                "stale": services.staleness(each, known),
            }
        )
    return rows


@login_required
@says_who_is_blind
@require_GET
def draft(request: HttpRequest, slug: str) -> HttpResponse:
    """The live page of one request. Without JavaScript its form asks the server for every threshold and cost."""
    project = judged_project(request, slug)
    form = AskForm(request.GET, project=project, viewer=signed_in(request))
    if not form.is_valid():
        return _list(request, project, form)
    require_scores(request, project, Case.objects.of_sample(form.found_sample))
    return _draft(request, project, form)


def _draft(request: HttpRequest, project: Project, form: AskForm, *, problem: str = "") -> HttpResponse:
    """The page of the request; ``problem`` is why it could not be frozen."""
    sample, evaluator, ask = form.found_sample, form.found_evaluator, form.ask()
    try:
        document = services.calibrated(sample, evaluator, ask).document
    except (services.CalibrationError, RuleError) as error:
        return _refused(request, project, form, error)
    threshold = form.cleaned_data["threshold"]
    threshold = threshold_shown(document) if threshold is None else threshold
    rates = services.rates_at(sample, evaluator, ask, threshold) if interval_kind(document) == "server" else None
    kept = _kept(form, ask)
    mistakes = reverse("calibration:mistakes", args=[project.slug])
    context = {
        **page_context(present(document, threshold, rates=rates)),
        "title": fill(_("{metric}, draft"), metric=metric_name(document["metric"])),
        "sample_name": sample.name,
        "kept": kept,
        "kept_costs": {name: _given(getattr(ask, f"cost_{name}")) for name in ("false_pass", "false_fail")},
        "links": f"{mistakes}?{urlencode({**kept, 'threshold': plain(threshold)})}",
        "form": form,
        "choices": choices(project, signed_in(request)),
        "problem": problem,
        "because": form.cleaned_data["reason"],
        "may_freeze": role_in(signed_in(request), project) == Role.LEAD,
    }
    return render(request, "calibration/page.html", context)


def page_context(page: Page) -> dict[str, Any]:
    """What draft and frozen page share."""
    document, words = page.document, templates()
    counts = document["agreement"]["label_counts"]
    certificate = certificate_in_force(document) or {}
    costs = costs_of(document)
    return {
        "page": page,
        "state_word": CalibrationState(document["state"]).label,
        "reason": document["reason"],
        "at": document["at_recommended"] or document["at_half"],
        "certificate": certificate,
        "kept_share": headline_in_force(document)["passes_kept"],
        "costs": {"false_pass": plain(costs.false_pass), "false_fail": plain(costs.false_fail)},
        "agreement_threshold": score(document["agreement"]["threshold"]),
        "judge_fail_share": _part(words, counts["judge"]),
        "people_fail_share": _part(words, counts["human"]),
        "undecided": _undecided(document, words),
        "sure": 1 - certificate["delta"] if certificate else None,
        "certified_from": score(certificate["certified_from"]) if certificate.get("certified_from") is not None else "",
    }


def _part(words: dict[str, str], counts: dict[str, float]) -> str:
    return fill(words["of"], count=count_words(counts["fail"]), of=count_words(counts["fail"] + counts["pass"]))


def _undecided(document: dict[str, Any], words: dict[str, str]) -> dict[str, str]:
    """Bad answers caught if all undecided cases were fails, and if all were passes."""
    found = {}
    for name in ("fails", "passes"):
        bound = document.get(f"headline_undecided_as_{name}")
        if bound:
            caught = bound["fails_caught"]
            found[name] = fill(words["of"], count=count_words(caught["count"]), of=count_words(caught["of"]))
    return found


def _kept(form: AskForm, ask: services.Ask) -> dict[str, str]:
    """The request without costs and threshold, as hidden fields and as the start of addresses."""
    said = form.cleaned_data
    kept = {
        "sample": said["sample"],
        "metric": form.found_evaluator.metric,
        "judge": said["judge"] or form.found_evaluator.judge,
        "human_metric": ask.human_metric,
        "rule": ask.rule,
        "seed": str(ask.seed) if ask.seed else "",
        "certify": _given(ask.certify),
        "confidence": _given(said["confidence"]),
        "labels_blind": "on" if ask.labels_blind else "",
    }
    return {name: value for name, value in kept.items() if value}


def _given(value: float | None) -> str:
    return "" if value is None else plain(value)


@login_required
@says_who_is_blind
@require_POST
def freeze(request: HttpRequest, slug: str) -> HttpResponse:
    project = led_project(request, slug)
    form = AskForm(request.POST, project=project, viewer=signed_in(request))
    if not form.is_valid():
        return _list(request, project, form)
    require_scores(request, project, Case.objects.of_sample(form.found_sample))
    try:
        frozen = services.freeze(
            form.found_sample,
            form.found_evaluator,
            form.ask(),
            user=signed_in(request),
            threshold=form.cleaned_data["threshold"],
            reason=form.cleaned_data["reason"],
        )
    except (services.CalibrationError, RuleError) as error:
        if getattr(error, "code", "") == services.REASON_NEEDED:
            return _draft(request, project, form, problem=str(error))
        return _refused(request, project, form, error)
    messages.success(request, _("Frozen as %(name)s.") % {"name": frozen.name})
    return redirect(frozen)


@login_required
@says_who_is_blind
@require_GET
def calibration(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """A frozen one: the same page from its snapshot alone; only the threshold can be moved, and is not kept."""
    frozen = visible_calibration(request, slug, number)
    document = frozen.document
    threshold = read_threshold(request.GET)
    page = present(document, threshold_shown(document) if threshold is None else threshold, is_frozen=True)
    context = {
        **page_context(page),
        "title": frozen.name,
        "frozen": frozen,
        "stale": services.staleness(frozen),
        "sample_name": frozen.sample.name if frozen.sample else "",
        "kept": {},
        "links": _links_of(frozen, page.threshold),
        "again": _again(frozen),
        "is_lead": role_in(signed_in(request), frozen.project) == Role.LEAD,
    }
    return render(request, "calibration/page.html", context)


def _links_of(frozen: Calibration, threshold: str) -> str:
    """To the cases behind the counts, as the labels and scores are now; none when sample or judge are gone."""
    asked = _asked_again(frozen)
    if not asked:
        return ""
    return (
        f"{reverse('calibration:mistakes', args=[frozen.project.slug])}?{urlencode({**asked, 'threshold': threshold})}"
    )


def _again(frozen: Calibration) -> str:
    """To a draft of the same request; none when sample or judge are gone."""
    asked, ask = _asked_again(frozen), services.ask_of(frozen)
    if not asked:
        return ""
    numbers = {
        "cost_false_pass": ask.cost_false_pass,
        "cost_false_fail": ask.cost_false_fail,
        "certify": ask.certify,
        "confidence": None if ask.certify is None else ask.confidence,
        "seed": ask.seed or None,
    }
    given = {name: plain(value) for name, value in numbers.items() if value is not None}
    return f"{reverse('calibration:draft', args=[frozen.project.slug])}?{urlencode({**asked, **given})}"


def _asked_again(frozen: Calibration) -> dict[str, str]:
    """What a draft of the same request is asked for, beside its numbers."""
    if frozen.sample is None or frozen.evaluator is None:
        return {}
    ask = services.ask_of(frozen)
    return {
        "sample": frozen.sample.name,
        "metric": frozen.metric,
        "judge": f"{frozen.evaluator.judge}@{frozen.evaluator.fingerprint[:8]}",
        "human_metric": ask.human_metric,
        "rule": ask.rule,
        **({"labels_blind": "on"} if ask.labels_blind else {}),
    }


@login_required
@says_who_is_blind
@require_GET
def download(request: HttpRequest, slug: str, number: int, kind: str) -> HttpResponse:
    """The calibration as a file for CI: the config, or gate and config in one."""
    from calibration.config import ConfigError, build_config
    from calibration.exporters import EXPORTERS

    frozen = visible_calibration(request, slug, number)
    if kind not in EXPORTERS:
        raise Http404
    try:
        share = request.GET.get("min_pass_rate")
        config = build_config(frozen.document, min_pass_rate=float(share) if share else None)
    except (ConfigError, ValueError) as error:
        messages.error(request, str(error))
        return redirect(frozen)
    audit(frozen.project, signed_in(request), "export calibration", frozen.name, kind=kind)
    exporter = EXPORTERS[kind]
    response = HttpResponse(exporter.render(config), content_type=exporter.media_type)
    response["Content-Disposition"] = f'attachment; filename="{exporter.file_name}"'
    return response
