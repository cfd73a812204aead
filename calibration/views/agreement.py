"""How far people agree, and how far a judge agrees with them: each figure, or in words why there is none."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from calibration import services
from calibration.forms import choices
from calibration.permissions import is_blind, judged_project, says_who_is_blind
from calibration.presenting.wording import score
from calibration.services.agreement import agreement_document, sample_asked
from cases.models import Case, Sample
from cases.permissions import require_scores, signed_in
from evaluation.models import EvaluatorVersion
from labeling.rules import RuleError
from labeling.services import label_metrics

SHOWN_LEFT_OUT = 20
ASKED = ("sample", "metric", "judge", "judge_metric", "rule")


@login_required
@says_who_is_blind
@require_GET
def agreement(request: HttpRequest, slug: str) -> HttpResponse:
    project = judged_project(request, slug)
    context: dict[str, Any] = {
        "choices": choices(project, signed_in(request)),
        "asked": {name: request.GET.get(name, "") for name in ASKED},
    }
    sample, problem = sample_asked(project, request.GET.get("sample", ""))
    if sample is None:
        context |= {"problem": problem, "blind": is_blind(request, project)}
        return render(request, "calibration/agreement.html", context)
    require_scores(request, project, Case.objects.of_sample(sample))
    context["sample"] = sample
    try:
        context |= _people(sample, request.GET.get("metric") or None)
        if judge := request.GET.get("judge"):
            evaluator = services.resolve_evaluator(project, sample, request.GET.get("judge_metric") or None, judge)
            context |= _judge(sample, evaluator, context["metric"], request.GET.get("rule") or None)
    except (services.CalibrationError, RuleError, ValueError) as error:
        context["problem"] = str(error)
        context["nobody_labeled"] = getattr(error, "code", "") == services.NOBODY_LABELED
    return render(request, "calibration/agreement.html", context)


def _people(sample: Sample, metric: str | None) -> dict[str, Any]:
    there = list(label_metrics(sample))
    document = agreement_document(sample, metric or _first_asked(there))
    labels = sorted({label for shares in document["base_rates"].values() for label in shares})
    return {
        "metric": document["metric"],
        "metrics": there,
        "found": document,
        "labels": labels,
        "rates": [
            {"name": name, "shares": [shares.get(label) for label in labels], "n": _labels_of(document, name)}
            for name, shares in document["base_rates"].items()
        ],
        "left_out": document["cases_left_out"][:SHOWN_LEFT_OUT],
        "more_left_out": max(0, len(document["cases_left_out"]) - SHOWN_LEFT_OUT),
    }


def _first_asked(there: list[str]) -> str | None:
    """The overall question where there is one, else the first."""
    if "overall" in there:
        return "overall"
    return there[0] if there else None


def _labels_of(document: dict[str, Any], name: str) -> float:
    return float(sum(document["label_counts"][name].values()))


def _judge(sample: Sample, evaluator: EvaluatorVersion, metric: str, rule: str | None) -> dict[str, Any]:
    """The judge's verdicts at its recommended threshold, or at one half, against people's."""
    document = services.compute(sample, evaluator, human_metric=metric, rule=rule).document
    return {
        "judge": evaluator,
        "judge_document": document,
        "judge_threshold": score(document["agreement"]["threshold"]),
        "judge_is_recommended": document["recommended_threshold"] is not None,
    }
