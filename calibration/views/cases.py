"""From a count to its cases: the list behind a cell of the matrix, and one case with both sides beside each other."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET

from calibration import services
from calibration.forms import AskForm, read_threshold
from calibration.permissions import judged_project, says_who_is_blind
from calibration.presenting.cells import cases_in_cell
from calibration.presenting.readings import HALF
from calibration.presenting.sides import both_sides
from calibration.presenting.wording import score
from cases.access import log_exposure
from cases.models import Case, DatasetRow, Project
from cases.permissions import require_scores, signed_in
from evaluation.models import EvaluatorVersion
from labeling.rules import RuleError

PAGE_SIZE = 50

KINDS = {
    "false_pass": gettext_lazy("False passes: people failed them, the judge passes them"),
    "false_fail": gettext_lazy("False fails: people passed them, the judge fails them"),
    "true_fail": gettext_lazy("Caught: people and judge fail them"),
    "true_pass": gettext_lazy("Kept: people and judge pass them"),
    "undecided": gettext_lazy("Undecided: people's labels tie"),
    "unscored": gettext_lazy("Unscored: the judge gave no number"),
}


@login_required
@says_who_is_blind
@require_GET
def mistakes(request: HttpRequest, slug: str) -> HttpResponse:
    project = judged_project(request, slug)
    form, kind, threshold = _asked(request, project)
    rows = _cell(form, kind, threshold)
    page = Paginator(rows, PAGE_SIZE).get_page(request.GET.get("page"))
    shown = Case.objects.filter(pk__in=[row["case_pk"] for row in page])
    log_exposure(signed_in(request), shown)
    cases = shown.in_bulk()
    keep = _keep(request.GET)
    context = {
        "title": KINDS[kind],
        "kind": kind,
        "kinds": [(name, title, _with(request.GET, kind=name)) for name, title in KINDS.items()],
        "threshold": score(threshold),
        "evaluator": form.found_evaluator,
        "sample": form.found_sample,
        "rows": [{**row, "case": cases[row["case_pk"]], "url": _side_url(project, form, row, keep)} for row in page],
        "page": page,
        "n": len(rows),
        "keep": keep,
        "back": f"{reverse('calibration:draft', args=[slug])}?{_keep(request.GET, without=('kind', 'page'))}",
    }
    return render(request, "calibration/mistakes.html", context)


def _asked(request: HttpRequest, project: Project) -> tuple[AskForm, str, float]:
    """The request of a calibration with a kind of case and a threshold; anything else is not there."""
    form, kind = AskForm(request.GET, project=project, viewer=signed_in(request)), request.GET.get("kind", "false_pass")
    if not form.is_valid() or kind not in KINDS:
        raise Http404
    require_scores(request, project, Case.objects.of_sample(form.found_sample))
    threshold = form.cleaned_data["threshold"]
    return form, kind, HALF if threshold is None else threshold


def _cell(form: AskForm, kind: str, threshold: float) -> list[dict[str, Any]]:
    ask = form.ask()
    try:
        table = services.table_of(form.found_sample, form.found_evaluator, ask)
    except RuleError as error:
        raise Http404(str(error)) from error
    return cases_in_cell(table, kind, threshold)


def _side_url(project: Project, form: AskForm, row: dict[str, Any], keep: str) -> str:
    address = reverse("calibration:sides", args=[project.slug, row["case_pk"], form.found_evaluator.pk])
    return f"{address}?{keep}"


def _keep(query: QueryDict, without: tuple[str, ...] = ("page",)) -> str:
    return urlencode([(name, value) for name, value in query.items() if name not in without])


def _with(query: QueryDict, **changed: str) -> str:
    return urlencode({**{name: value for name, value in query.items() if name != "page"}, **changed})


@login_required
@says_who_is_blind
@require_GET
def sides(request: HttpRequest, slug: str, case_pk: int, evaluator_pk: int) -> HttpResponse:
    """One case: the answer in claims and the chunks; beside them what each person and the judge said."""
    project = judged_project(request, slug)
    case = get_object_or_404(Case.objects.select_related("dataset"), pk=case_pk, dataset__project=project)
    evaluator = get_object_or_404(EvaluatorVersion, pk=evaluator_pk, project=project)
    only = Case.objects.filter(pk=case.pk)
    require_scores(request, project, only)
    log_exposure(signed_in(request), only)
    row = DatasetRow.objects.filter(case=case).select_related("case", "version__dataset").order_by("-version").first()
    if row is None:
        raise Http404
    human_metric = request.GET.get("human_metric") or evaluator.metric
    context = {
        "row": row,
        "case": case,
        "evaluator": evaluator,
        "human_metric": human_metric,
        **both_sides(row, evaluator, human_metric, read_threshold(request.GET)),
        **_neighbours(request, project, case),
    }
    return render(request, "calibration/sides.html", context)


def _neighbours(request: HttpRequest, project: Project, case: Case) -> dict[str, Any]:
    """Where the case stands in the list it was opened from; nothing when it was opened by itself."""
    if "sample" not in request.GET:
        return {}
    form, kind, threshold = _asked(request, project)
    rows = _cell(form, kind, threshold)
    place = next((i for i, row in enumerate(rows) if row["case_pk"] == case.pk), None)
    if place is None:
        return {}
    keep = _keep(request.GET)
    following = rows[place + 1] if place + 1 < len(rows) else None
    return {
        "title": KINDS[kind],
        "position": _("%(at)s of %(n)s") % {"at": place + 1, "n": len(rows)},
        "next": _side_url(project, form, following, keep) if following else "",
        "back": f"{reverse('calibration:mistakes', args=[project.slug])}?{keep}",
    }
