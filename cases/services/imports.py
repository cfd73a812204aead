"""A file into a dataset: cases here, labels and scores handed on, all of it in one transaction or nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from django.db import transaction
from django.utils.translation import gettext

from cases.importers import CaseFileError, ImportOptions
from cases.importers.refusals import grouped
from cases.importers.scan import Scan, scan
from cases.models import Dataset, DatasetVersion, Project, User
from cases.records import Record
from cases.services.names import valid_name
from cases.services.projects import audit
from cases.services.storing import VersionWriter
from cases.sinks import hand_on

BATCH = 500


class ImportRefusedError(ValueError):
    """The import was asked to do what this product does not do; nothing was stored."""


@dataclass
class ImportSummary:
    """What an import did, or would do: the document of ``import --json``."""

    scan: Scan
    dataset: str
    is_stored: bool = False
    counts: Counter[str] = field(default_factory=Counter)
    version: int | None = None

    def as_dict(self) -> dict[str, Any]:
        """``labels`` and ``scores`` are what the file holds; ``stored_...`` what of it was new or changed."""
        counts = {name: self.counts[name] for name in ("created", "updated", "unchanged")}
        handed_on = {f"stored_{name}": self.counts[name] for name in ("labels", "scores")}
        place = {"dataset": self.dataset, "version": self.version, "stored": self.is_stored}
        return self.scan.as_dict() | place | counts | handed_on


def import_file(
    *,
    project: Project,
    dataset_name: str,
    path: Path,
    options: ImportOptions,
    source_name: str = "",
    user: User | None = None,
    strict: bool = False,
    dry_run: bool = False,
    progress: Callable[[int], None] | None = None,
    into_demo: bool = False,
) -> ImportSummary:
    """Look at the whole file, then store its good rows. A killed import leaves nothing behind.

    ``strict`` stores nothing when any row was refused, and neither is anything stored when every id is in conflict.
    ``dry_run`` stores nothing at all, and counts what would be stored. Raises CaseFileError for a file without one
    readable row, InvalidNameError for a dataset's name that is none, ImportRefusedError for the demo project.
    """
    dataset_name = valid_name(dataset_name)
    if project.is_demo and not into_demo:
        kept = gettext("%(name)s holds demo data, and own data is not mixed with it. Import into another project.")
        raise ImportRefusedError(kept % {"name": project.slug})
    summary = ImportSummary(scan(path, options), dataset_name)
    _refuse_unreadable(summary.scan)
    is_refused = not summary.scan.cases or (strict and bool(summary.scan.refused or summary.scan.conflicts))
    with transaction.atomic():
        if summary.scan.cases:
            _store(project, summary, source_name or path.name, progress or (lambda done: None))
        if dry_run or is_refused:
            transaction.set_rollback(True)
    summary.is_stored = not (dry_run or is_refused)
    if summary.is_stored:
        audit(project, user, "import", dataset_name, source=source_name or path.name, **dict(summary.counts))
    return summary


def _refuse_unreadable(found: Scan) -> None:
    """A file of which no row could be read, with the reason that most of its rows share."""
    if found.cases or found.conflicts:
        return
    if not found.refused:
        raise CaseFileError("The file has no row to read.", advice="Its header alone, or nothing, is there.")
    first = grouped(found.refused)[0]
    why = str(first).removesuffix(f"; {first.hint.advice}" if first.hint else "")
    raise CaseFileError(f"No row of the file could be read: {why}.", hint=first.hint)


def _store(project: Project, summary: ImportSummary, source_name: str, progress: Callable[[int], None]) -> None:
    dataset, _ = Dataset.objects.get_or_create(project=project, name=summary.dataset)
    writer = VersionWriter(dataset, source_name)
    done = 0
    for batch in _batches(summary.scan.records()):
        pairs = writer.add(batch)
        summary.counts.update(hand_on(project, [(case, record) for case, record in pairs if _has_opinions(record)]))
        progress(done := done + len(batch))
    summary.counts.update(writer.counts)
    version: DatasetVersion | None = writer.finish()
    summary.version = version.number if version else None


def _batches(records: Iterator[Record]) -> Iterator[list[Record]]:
    while batch := list(islice(records, BATCH)):
        yield batch


def _has_opinions(record: Record) -> bool:
    return bool(record.labels or record.scores)
