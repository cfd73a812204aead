"""Imports handed in through the browser: previewed at once, stored by the worker."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from datetime import timedelta
from pathlib import Path

from django.db import DataError, IntegrityError
from django.db.models import Q
from django.utils import timezone

from cases.importers import CaseFileError, ImportOptions
from cases.models import ImportJob, ImportState, Project, User
from cases.services.imports import ImportRefusedError, import_file
from cases.services.names import InvalidNameError

#: How long a worker may be silent before another one takes the job over.
LEASE = timedelta(minutes=10)


def preview_import(
    *, project: Project, user: User, dataset_name: str, source_name: str, path: Path, options: ImportOptions
) -> ImportJob:
    """Count what the file would bring, and keep that beside the file until its owner says go."""
    summary = import_file(project=project, dataset_name=dataset_name, path=path, options=options, dry_run=True)
    return ImportJob.objects.create(
        project=project,
        user=user,
        dataset_name=dataset_name,
        source_name=source_name[:255],
        path=str(path),
        options=asdict(options),
        preview=summary.as_dict(),
    )


def request_import(job: ImportJob, *, user: User) -> None:
    """Say go: the worker finds the row. Saying it twice changes nothing."""
    ImportJob.objects.filter(pk=job.pk, state=None).update(state=ImportState.WAITING, user=user)
    job.refresh_from_db()


def drain_imports() -> int:
    """Store every import that waits, or whose worker has gone silent. Returns how many were handled."""
    done = 0
    while job := _lease():
        _store(job)
        done += 1
    return done


def _lease() -> ImportJob | None:
    """The oldest job to do, leased by an update that only one worker can win."""
    now = timezone.now()
    until = now + LEASE
    free = Q(state=ImportState.WAITING) | Q(state=ImportState.RUNNING, lease_expires_at__lt=now)
    for job in ImportJob.objects.filter(free).order_by("pk")[:5]:
        mine = ImportJob.objects.filter(free, pk=job.pk)
        if mine.update(state=ImportState.RUNNING, lease_expires_at=until):
            job.lease_expires_at = until
            return job
    return None


def _store(job: ImportJob) -> None:
    path = Path(job.path)
    state, summary = ImportState.DONE, {}
    try:
        summary = import_file(
            project=job.project,
            dataset_name=job.dataset_name,
            path=path,
            options=ImportOptions(**job.options),
            source_name=job.source_name,
            user=job.user,
            progress=_progress_of(job),
        ).as_dict()
    except (CaseFileError, ImportRefusedError, InvalidNameError, OSError, DataError, IntegrityError) as error:
        state, summary = ImportState.REFUSED, {"error": _sentence(error)}
    mine = ImportJob.objects.filter(pk=job.pk, state=ImportState.RUNNING, lease_expires_at=job.lease_expires_at)
    if not mine.update(state=state, summary=summary, rows_done=summary.get("rows", 0)):
        return  # The lease lapsed and another worker has the job: its outcome counts, and it needs the file.
    path.unlink(missing_ok=True)
    _progress_file(job).unlink(missing_ok=True)


def _sentence(error: Exception) -> str:
    """The reason without a path of the server in it."""
    if isinstance(error, OSError):
        return f"The uploaded file could not be read ({error.strerror}). Hand it in again."
    if isinstance(error, DataError | IntegrityError):
        return "The database could not keep what is in the file; nothing of it was stored."
    return str(error)


def _progress_of(job: ImportJob) -> Callable[[int], None]:
    """Progress goes to a file: the rows are written in one transaction, which nobody can look into."""
    file = _progress_file(job)

    def tell(done: int) -> None:
        file.write_text(str(done), encoding="ascii")

    return tell


def read_progress(job: ImportJob) -> int:
    try:
        return int(_progress_file(job).read_text(encoding="ascii"))
    except (OSError, ValueError):
        return job.rows_done


def _progress_file(job: ImportJob) -> Path:
    return Path(job.path).with_suffix(".progress")
