"""Importing in the browser: hand a file in, look at what it holds, then have it stored."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any
from uuid import uuid4

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.core.files.uploadedfile import UploadedFile
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from cases.access import blind_cases
from cases.forms import ImportForm
from cases.import_preview import error_text, preview_context
from cases.importers import CaseFileError
from cases.models import Case, ImportJob
from cases.permissions import led_project, signed_in
from cases.services import ImportRefusedError, preview_import, read_progress, request_import
from cases.spreadsheets import neutral_row

#: What a preview tells without a word of a judge or a person in it.
COUNTS = ("format", "encoding", "rows", "cases", "created", "updated", "unchanged", "labels", "scores", "duplicates")


@login_required
def new(request: HttpRequest, slug: str) -> HttpResponse:
    """Take the file and show what is in it. Nothing is stored yet."""
    project = led_project(request, slug)
    form = ImportForm(request.POST or None, request.FILES or None, initial={"dataset": request.GET.get("dataset", "")})
    if request.method == "POST" and form.is_valid():
        path, job = _keep(form.cleaned_data["file"]), None
        try:
            job = preview_import(
                project=project,
                user=signed_in(request),
                dataset_name=form.cleaned_data["dataset"],
                source_name=form.cleaned_data["file"].name,
                path=path,
                options=form.options(),
            )
        except (CaseFileError, ImportRefusedError) as error:
            form.add_error("file", error_text(error) if isinstance(error, CaseFileError) else str(error))
        else:
            return redirect(job)
        finally:
            if job is None:  # whatever went wrong, no file stays that nobody would ever take away
                path.unlink(missing_ok=True)
    return render(request, "cases/import_new.html", {"form": form})


def _keep(upload: UploadedFile[Any]) -> Path:
    """The upload on disk under a name of our own: never the one it came with."""
    folder = Path(settings.WORKBENCH_HOME) / "uploads"
    folder.mkdir(mode=0o700, exist_ok=True)
    path = folder / uuid4().hex
    try:
        with path.open("wb") as file:
            for chunk in upload.chunks():
                file.write(chunk)
    except OSError:
        path.unlink(missing_ok=True)
        raise
    return path


@login_required
def show(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """The preview; after the go-ahead the progress, then the outcome."""
    project = led_project(request, slug)
    job = get_object_or_404(ImportJob, project=project, pk=pk)
    if request.method == "POST":
        request_import(job, user=signed_in(request))
        return redirect(job)
    preview = (
        {name: job.preview[name] for name in COUNTS if name in job.preview} if _hides(request, job) else job.preview
    )
    context = {"job": job, "preview": preview, "summary": job.summary, "rows_done": read_progress(job)}
    context |= {"found": preview_context(preview), "is_hidden": preview is not job.preview}
    template = "cases/import.html#state" if request.headers.get("HX-Request") else "cases/import.html"
    return render(request, template, context)


def _hides(request: HttpRequest, job: ImportJob) -> bool:
    """Whether the file tells what judge or people said of cases that the person labels. Not while it is their own."""
    user = signed_in(request)
    if job.state is None and job.user_id == user.pk:
        return False
    cases = Case.objects.filter(dataset__project=job.project_id, dataset__name=job.dataset_name)
    return blind_cases(user, cases).exists()


@login_required
def refused(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Every refused row by line, field and reason, as a table."""
    project = led_project(request, slug)
    job = get_object_or_404(ImportJob, project=project, pk=pk)
    if _hides(request, job):
        raise Http404
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(["line", "field", "reason"])
    for each in job.preview.get("refused", []):
        writer.writerow(neutral_row([each["line"], each["field"], each["reason"]]))
    response = HttpResponse(text.getvalue(), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = 'attachment; filename="refused.csv"'
    return response
