"""The preview of an import, which is also its first half: everything about the file, nothing stored."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from cases.importers import Import, open_import
from cases.importers.duplicates import Conflict, Deduplicator, Duplicate
from cases.importers.options import CaseFileError, ImportOptions
from cases.importers.report import ImportReport, plural
from cases.records import Record, Refusal

#: Listed one by one; beyond it they are counted, so that a hostile file cannot fill the memory.
MAX_LISTED = 10_000
SAMPLES = 10


@dataclass
class Scan:
    """What storing the file would do. ``records()`` reads it again and gives what to store."""

    path: Path
    options: ImportOptions
    report: ImportReport
    refused: list[Refusal] = field(default_factory=list)
    refused_unlisted: int = 0
    samples: list[Record] = field(default_factory=list)
    labels: int = 0
    scores: int = 0
    _seen: Deduplicator = field(default_factory=Deduplicator)
    _state: tuple[int, int] = (0, 0)

    @property
    def rows(self) -> int:
        """Rows of the file, refused ones too, blank ones not."""
        return self.report.rows

    @property
    def cases(self) -> int:
        """Cases that ``records()`` gives."""
        return self._seen.distinct - len(self._seen.conflicts)

    @property
    def distinct_ids(self) -> int:
        return self._seen.distinct

    @property
    def duplicates(self) -> list[Duplicate]:
        return self._seen.duplicates

    @property
    def same_content(self) -> list[str]:
        """Ids that stand in the file more than once with the same content, in file order."""
        in_order = sorted(self.duplicates, key=lambda again: again.first_line)
        return list(dict.fromkeys(again.id for again in in_order))

    @property
    def conflicts(self) -> list[Conflict]:
        return self._seen.conflicts

    @property
    def warnings(self) -> list[str]:
        conflicts, unlisted = len(self.conflicts), self.refused_unlisted
        return [
            *self.report.warnings,
            *([f"{plural(conflicts, 'id')} with different content: not stored"] if conflicts else []),
            *([f"{unlisted:,} more refusals are not listed"] if unlisted else []),
        ]

    def records(self) -> Iterator[Record]:
        """The cases to store, each once, with all its labels and scores, streamed from the file."""
        for record, _ in self._seen.settled(self._read()):
            yield record

    def as_dict(self) -> dict[str, Any]:
        """The keys of ``import --json`` that are known before anything is stored."""
        return self.report.as_dict() | {
            "shapes": [asdict(row) for row in self.report.preview],
            "cases": self.cases,
            "distinct_ids": self.distinct_ids,
            "labels": self.labels,
            "scores": self.scores,
            "duplicates": len(self.duplicates),
            "same_content": self.same_content,
            "conflicts": [asdict(conflict) for conflict in self.conflicts],
            "refused": [asdict(refusal) for refusal in self.refused],
            "warnings": self.warnings,
        }

    def _read(self) -> Iterator[Record]:
        if _state(self.path) != self._state:
            raise CaseFileError("The file changed after it was checked.", advice="Import it again.")
        return (item for item in open_import(self.path, self.options) if isinstance(item, Record))

    def _first_pass(self, imported: Import) -> None:
        for item in imported:
            if isinstance(item, Refusal):
                self._refuse(item)
                continue
            self._seen.add(item)
            if len(self.samples) < SAMPLES:
                self.samples.append(item)
        self.labels = self.report.labels - self._seen.blocked_labels
        self.scores = self.report.scores - self._seen.blocked_scores
        if self._seen.has_opinions_to_join:
            self._count_joined()

    def _count_joined(self) -> None:
        self.labels = self.scores = 0
        for record, refusals in self._seen.settled(self._read()):
            self.labels += len(record.labels)
            self.scores += len(record.scores)
            for refusal in refusals:
                self._refuse(refusal)

    def _refuse(self, refusal: Refusal) -> None:
        if len(self.refused) < MAX_LISTED:
            self.refused.append(refusal)
        else:
            self.refused_unlisted += 1


def scan(path: Path, options: ImportOptions | None = None) -> Scan:
    """Read the whole file once and say what importing it would do.

    Raises
    ------
    CaseFileError
        When the file as a whole cannot be read. Rows that cannot are in ``refused``.
    """
    options, path = options or ImportOptions(), Path(path)
    state = _state(path)
    imported = open_import(path, options)
    found = Scan(path, options, imported.report, _state=state)
    found._first_pass(imported)
    return found


def _state(path: Path) -> tuple[int, int]:
    try:
        status = os.stat(path)
    except OSError as error:
        raise CaseFileError(f"The file cannot be opened: {error.strerror}.") from error
    return status.st_size, status.st_mtime_ns
