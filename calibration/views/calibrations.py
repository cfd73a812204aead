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
from calibration.forms import RULES, AskForm, choices, read_threshold, suggestion
from calibration.models import Calibration, CalibrationState
from calibration.permissions import is_blind, judged_project, visible_calibration, visible_calibrations
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
@require_GET
def calibrations(request: HttpRequest, slug: str) -> HttpResponse:
    project = judged_project(request, slug)
    return _list(request, project, AskForm(project=project, initial=suggestion(project)))


def _list(request: HttpRequest, project: Project, form: AskForm) -> HttpResponse:
    frozen = Paginator(visible_calibrations(request, project), PAGE_SIZE).get_page(request.GET.get("page"))
    context = {
        "form": form,
        "choices": choices(project),
        "rules": RULES,
        "blind": is_blind(request, project),
        "rows": _rows(list(frozen)),
        "page": frozen,
    }
    return render(request, "calibration/calibrations.html", context)


def _rows(frozen: list[Calibration]) -> list[dict[str, Any]]:
    known: services.Known = {}  # calibrations of one sample share what is looked up
    rows = []
    for each in frozen:
        threshold = each.document["recommended_threshold"]
        words = None if threshold is None else score(threshold)
        stale = services.staleness(each, known)
        rows.append({"calibration": each, "document": each.document, "threshold": words, "stale": stale})
    return rows


@login_required
@require_GET
def draft(request: HttpRequest, slug: str) -> HttpResponse:
    """The live page of one request. Without JavaScript its form asks the server for every threshold and cost."""
    project = judged_project(request, slug)
    form = AskForm(request.GET, project=project)
    if not form.is_valid():
        return _list(request, project, form)
    sample, evaluator, ask = form.found_sample, form.found_evaluator, form.ask()
    require_scores(request, project, Case.objects.of_sample(sample))
    try:
        document = services.calibrated(sample, evaluator, ask).document
    except (services.CalibrationError, RuleError) as error:
        form.add_error(None, str(error))
        return _list(request, project, form)
    threshold = form.cleaned_data["threshold"]
    threshold = threshold_shown(document) if threshold is None else threshold
    rates = services.rates_at(sample, evaluator, ask, threshold) if interval_kind(document) == "server" else None
    kept = _kept(form, ask)
    context = {
        **page_context(present(document, threshold, rates=rates)),
        "title": fill(_("{metric}, draft"), metric=metric_name(document["metric"])),
        "sample_name": sample.name,
        "kept": kept,
        "kept_costs": {name: _given(getattr(ask, f"cost_{name}")) for name in ("false_pass", "false_fail")},
        "links": f"{reverse('calibration:mistakes', args=[slug])}?{urlencode({**kept, 'threshold': plain(threshold)})}",
        "form": form,
        "choices": choices(project),
        "rules": RULES,
        "may_freeze": role_in(signed_in(request), project) == Role.LEAD,
    }
    return render(request, "calibration/page.html", context)


def page_context(page: Page) -> dict[str, Any]:
    """What draft and frozen page share."""
    document, words = page.document, templates()
    counts = document["agreement"]["label_counts"]
    certificate = document.get("certificate") or {}
    costs = costs_of(document)
    return {
        "page": page,
        "state_word": CalibrationState(document["state"]).label,
        "reason": document["reason"],
        "at": document["at_recommended"] or document["at_half"],
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
@require_POST
def freeze(request: HttpRequest, slug: str) -> HttpResponse:
    project = led_project(request, slug)
    form = AskForm(request.POST, project=project)
    if not form.is_valid():
        return _list(request, project, form)
    require_scores(request, project, Case.objects.of_sample(form.found_sample))
    try:
        frozen = services.freeze(form.found_sample, form.found_evaluator, form.ask(), user=signed_in(request))
    except (services.CalibrationError, RuleError) as error:
        form.add_error(None, str(error))
        return _list(request, project, form)
    messages.success(request, _("Frozen as %(name)s.") % {"name": frozen.name})
    return redirect(frozen)


@login_required
@require_GET
def calibration(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """A frozen one: the same page from its snapshot alone; only the threshold can be moved, and is not kept."""
    frozen = visible_calibration(request, slug, number)
    document = frozen.document
    threshold = read_threshold(request.GET)
    page = present(document, threshold_shown(document) if threshold is None else threshold)
    context = {
        **page_context(page),
        "title": frozen.name,
        "frozen": frozen,
        "stale": services.staleness(frozen),
        "sample_name": frozen.sample.name if frozen.sample else "",
        "kept": {},
        "links": _links_of(frozen, page.threshold),
        "is_lead": role_in(signed_in(request), frozen.project) == Role.LEAD,
    }
    return render(request, "calibration/page.html", context)


def _links_of(frozen: Calibration, threshold: str) -> str:
    """To the cases behind the counts, as the labels and scores are now; none when sample or judge are gone."""
    if frozen.sample is None or frozen.evaluator is None:
        return ""
    ask = services.ask_of(frozen)
    asked = {
        "sample": frozen.sample.name,
        "metric": frozen.metric,
        "judge": frozen.evaluator.fingerprint,
        "human_metric": ask.human_metric,
        "rule": ask.rule,
        "threshold": threshold,
        **({"labels_blind": "on"} if ask.labels_blind else {}),
    }
    return f"{reverse('calibration:mistakes', args=[frozen.project.slug])}?{urlencode(asked)}"


@login_required
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
