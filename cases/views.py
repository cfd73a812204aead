"""Datasets, their cases, samples. For leads: annotators meet cases one by one, on the labeling screen."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.db.models import Count, Max, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _

from cases.access import blind_cases
from cases.forms import SampleForm
from cases.given import small_int
from cases.models import Case, Dataset, DatasetRow, DatasetVersion, Sample, UnitKind
from cases.permissions import led_project, signed_in
from cases.services import draw_new_sample, ensure_units
from cases.services.samples import SampleError

PAGE_SIZE = 50


@login_required
def datasets(request: HttpRequest, slug: str) -> HttpResponse:
    project = led_project(request, slug)
    found = project.datasets.with_newest()
    samples = project.samples.annotate(case_count=Count("items")).select_related("version__dataset").order_by("name")
    return render(request, "cases/datasets.html", {"datasets": found, "samples": samples})


@login_required
def dataset(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """One dataset: what its newest (or the asked) version holds, searchable, and the way to a sample."""
    project = led_project(request, slug)
    found = get_object_or_404(Dataset, project=project, name=name)
    version = _asked_version(request, found)
    rows = search_rows(version.rows.all(), request.GET.get("q", ""))
    context = {
        "dataset": found,
        "version": version,
        "versions": found.versions.annotate(case_count=Count("rows")).order_by("-number"),
        "facts": version_facts(version),
        "query": request.GET.get("q", ""),
        "rows": Paginator(rows, PAGE_SIZE).get_page(request.GET.get("page")),
        "form": SampleForm(initial={"name": f"{found.name} sample"}),
    }
    return render(request, "cases/dataset.html", context)


def _asked_version(request: HttpRequest, found: Dataset) -> DatasetVersion:
    asked = request.GET.get("version", "")
    versions = found.versions.filter(number=small_int(asked) or 0) if asked else found.versions.order_by("-number")
    return get_object_or_404(versions[:1])


def search_rows(rows: QuerySet[DatasetRow], text: str) -> QuerySet[DatasetRow]:
    """Rows whose id, question or answer holds the text; all of them for an empty one."""
    rows = rows.select_related("case").order_by("position")
    if not text.strip():
        return rows
    wanted = text.strip()
    return rows.filter(
        Q(case__external_id__icontains=wanted)
        | Q(case__input__icontains=wanted)
        | Q(case__actual_output__icontains=wanted)
    )


def version_facts(version: DatasetVersion) -> dict[str, object]:
    """Counts of one version: cases, goldens, empty answers, groups, systems, languages."""
    rows = version.rows
    return {
        "cases": rows.count(),
        "goldens": rows.filter(case__actual_output__isnull=True).count(),
        "empty_answers": rows.filter(case__actual_output__regex=r"^\s*$").count(),
        "groups": rows.exclude(group_id="").values("group_id").distinct().count(),
        "systems": _counted(rows.values_list("case__system"), _("no system named")),
        "languages": _counted(rows.values_list("language"), _("no language named")),
    }


def _counted(names: QuerySet[DatasetRow, tuple[str]], unnamed: str) -> list[tuple[str, int]]:
    return [(name or unnamed, count) for name, count in names.annotate(n=Count("pk")).order_by("-n")]


@login_required
def case(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """One case as it was imported, with its units. Nothing of people or judges: calibration shows both sides."""
    project = led_project(request, slug)
    row = get_object_or_404(
        DatasetRow.objects.filter(version__dataset__project=project).select_related("case", "version__dataset"), pk=pk
    )
    units = ensure_units(row)
    context = {
        "row": row,
        "claims": units.get(UnitKind.CLAIM),
        "expected": units.get(UnitKind.EXPECTED),
        "chunks": units.get(UnitKind.CHUNK),
    }
    return render(request, "cases/case.html", context)


@login_required
def sample(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    project = led_project(request, slug)
    found = get_object_or_404(Sample.objects.select_related("version__dataset"), project=project, name=name)
    strata = found.items.values("stratum").annotate(n=Count("pk"), probability=Max("inclusion_probability"))
    is_hidden = blind_cases(signed_in(request), Case.objects.of_sample(found)).exists()
    items = found.items.select_related("row__case").order_by("position")
    context = {
        "sample": found,
        "is_hidden": is_hidden,  # strata and gaps tell of a judge's scores where the sample was drawn by them
        "strata": [] if is_hidden else strata.order_by("stratum"),
        "gaps": [] if is_hidden else found.gaps,
        "items": Paginator(items, PAGE_SIZE).get_page(request.GET.get("page")),
    }
    return render(request, "cases/sample.html", context)


@login_required
def draw(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """Draw a random sample from the newest version: POST from the dataset's page."""
    project = led_project(request, slug)
    found = get_object_or_404(Dataset, project=project, name=name)
    form = SampleForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            version, user = _asked_version(request, found), signed_in(request)
            drawn = draw_new_sample(version=version, user=user, **form.cleaned_data)
        except SampleError as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, _("Sample drawn. Give it out for labeling next."))
            return redirect(drawn)
    return render(request, "cases/draw.html", {"dataset": found, "form": form})
