"""Runs and what came of them. For leads alone, and not for a lead who has to stay blind about the sample."""

from __future__ import annotations

from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Page, Paginator
from django.db import transaction
from django.db.models import F, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from cases.access import blind_cases, hidden_samples, log_exposure, may_see_scores
from cases.models import Case, Project, Sample
from cases.permissions import led_project, require_scores, signed_in
from evaluation.doorbell import ring
from evaluation.forms import JUDGE_HELP, RunForm
from evaluation.models import EvaluatorVersion, Run, RunState, Score, ScoreState
from evaluation.services import evaluators_for, tally_of
from evaluation.strips import SEVERE_CUT

PAGE_SIZE = 50


@login_required
def runs(request: HttpRequest, slug: str) -> HttpResponse:
    """What judges said of one sample, the runs of the project, and the form that starts one."""
    project = led_project(request, slug)
    return render(
        request, "evaluation/runs.html", _runs_context(request, project, RunForm(project, viewer=signed_in(request)))
    )


@login_required
@require_POST
def start(request: HttpRequest, slug: str) -> HttpResponse:
    project = led_project(request, slug)
    form = RunForm(project, request.POST, viewer=signed_in(request))
    run = form.start(signed_in(request)) if form.is_valid() else None
    if run is None:
        return render(request, "evaluation/runs.html", _runs_context(request, project, form), status=422)
    if run.state == RunState.DONE:
        messages.info(request, _("Every case had a score already. Nothing was judged again."))
    transaction.on_commit(lambda: ring(run))
    if not _may_see(request, run.sample):
        messages.info(request, _("The run has started. You label this sample, so its scores are not shown to you."))
        return redirect("evaluation:runs", project.slug)
    return redirect(run)


def _runs_context(request: HttpRequest, project: Project, form: RunForm) -> dict[str, object]:
    samples = project.samples.order_by("-pk")
    hidden = hidden_samples(signed_in(request), samples)
    sample = _asked_sample(request, samples)
    may_see = sample is not None and sample.pk not in hidden
    return {
        "form": form,
        "samples": samples,
        "sample": sample,
        "is_hidden": sample is not None and not may_see,
        "tallies": evaluators_for(sample) if sample is not None and may_see else [],
        "runs": _page(request, Run.objects.of_project(project)),
        "hidden": hidden,
        "keep": urlencode({"sample": sample.name}) if sample else "",
        "cut": SEVERE_CUT,
    }


def _asked_sample(request: HttpRequest, samples: QuerySet[Sample]) -> Sample | None:
    name = request.GET.get("sample")
    return get_object_or_404(samples, name=name) if name else samples.first()


@login_required
def run(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """How far the run is and what its evaluator said; the moving part is asked for again while it runs."""
    project = led_project(request, slug)
    found = get_object_or_404(Run.objects.of_project(project), pk=pk)
    require_scores(request, project, Case.objects.of_sample(found.sample))
    context = {"run": found, "is_moving": found.state in {RunState.WAITING, RunState.RUNNING}}
    if getattr(request, "htmx", False):
        return _progress(request, context)
    unscored = Score.objects.that_count().of_sample(found.sample).filter(evaluator=found.evaluator)
    unscored = unscored.filter(state=ScoreState.UNSCORED).in_sample_order()
    context |= {
        "tallies": [tally_of(found.sample, found.evaluator)],
        "unscored": _page(request, unscored.defer("raw_reply", "verdicts")),
        "newer": Run.objects.filter(sample=found.sample, evaluator=found.evaluator, pk__gt=found.pk).last(),
        "cut": SEVERE_CUT,
    }
    return render(request, "evaluation/run.html", context)


def _progress(request: HttpRequest, context: dict[str, object]) -> HttpResponse:
    response = render(request, "evaluation/run.html#progress", context)
    if not context["is_moving"]:
        response["HX-Refresh"] = "true"  # done: the rest of the page has its figures now
    return response


@login_required
def evaluator(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """What an evaluator version is made of, and its scores of one sample, case by case, the lowest first."""
    project = led_project(request, slug)
    user, cases = signed_in(request), Case.objects.filter(dataset__project=project)
    there = EvaluatorVersion.objects.filter(project=project).beside(blind_cases(user, cases))
    found = get_object_or_404(there.select_related("project"), pk=pk)
    judged = project.samples.filter(items__row__case__scores__evaluator=found).distinct().order_by("-pk")
    judged = judged.exclude(pk__in=hidden_samples(user, project.samples.all()))
    sample = _asked_sample(request, judged)
    context: dict[str, object] = {"evaluator": found, "samples": judged, "sample": sample, "cut": SEVERE_CUT}
    context["judge_help"] = JUDGE_HELP.get(found.description.get("judge", "")) if not found.is_imported else None
    if sample is not None:
        require_scores(request, project, Case.objects.of_sample(sample))
        scores = Score.objects.that_count().of_sample(sample).filter(evaluator=found)
        page = _page(request, scores.order_by(F("value").asc(nulls_first=True), "case__external_id").with_rows())
        log_exposure(signed_in(request), Case.objects.filter(pk__in=[score.case_id for score in page]))
        context |= {"tallies": [tally_of(sample, found)], "scores": page, "keep": urlencode({"sample": sample.name})}
    return render(request, "evaluation/evaluator.html", context)


def _may_see(request: HttpRequest, sample: Sample) -> bool:
    return may_see_scores(signed_in(request), sample.project, Case.objects.of_sample(sample))


def _page(request: HttpRequest, rows: QuerySet) -> Page:  # type: ignore[type-arg]
    return Paginator(rows, PAGE_SIZE).get_page(request.GET.get("page"))
