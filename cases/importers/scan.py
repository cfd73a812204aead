"""The preview of an import, which is also its first half: everything about the file, nothing stored."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from cases.importers import Import, open_import
from cases.importers.duplicates import Conflict, Deduplicator, Duplicate, key_of
from cases.importers.options import CaseFileError, ImportOptions
from cases.importers.preview import Preview
from cases.importers.refusals import grouped
from cases.importers.report import ImportReport, Remark, plural
from cases.importers.scales import NOTHING_OFF, OffScale
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
    off_scale: OffScale = NOTHING_OFF
    refused: list[Refusal] = field(default_factory=list)
    refused_unlisted: int = 0
    samples: list[Record] = field(default_factory=list)
    labels: int = 0
    scores: int = 0
    preview: Preview = field(default_factory=Preview)
    _seen: Deduplicator = field(default_factory=Deduplicator)
    _lost: Counter[str] = field(default_factory=Counter)
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
    def duplicate_lines(self) -> list[dict[str, Any]]:
        """Each id that stands in the file again and was taken once, with all its lines."""
        lines: dict[tuple[str, str], list[int]] = {}
        for again in self.duplicates:
            if (key := key_of(again.id, again.system)) not in self._seen.blocked:
                lines.setdefault(key, [again.first_line]).append(again.line)
        return [{"id": name, "lines": found} for (name, _), found in lines.items()]

    @property
    def conflicts(self) -> list[Conflict]:
        return self._seen.conflicts

    @property
    def warnings(self) -> list[str]:
        return [str(remark) for remark in self.remarks()]

    def remarks(self) -> list[Remark]:
        conflicts, unlisted = len(self.conflicts), self.refused_unlisted
        return [
            *self.report.remarks(),
            *([Remark(f"{plural(conflicts, 'id')} with different content: not stored")] if conflicts else []),
            *([Remark(f"{unlisted:,} more refusals are not listed")] if unlisted else []),
        ]

    @property
    def lost(self) -> dict[str, int]:
        """What the file holds and storing it would not bring: refused, or part of a conflict."""
        return {
            "cases": self.report.refused_rows + len(self.conflicts),
            "labels": self.report.refused_labels + self._seen.blocked_labels + self._lost["human"],
            "scores": self.report.refused_scores + self._seen.blocked_scores + self._lost["score"],
        }

    def records(self) -> Iterator[Record]:
        """The cases to store, each once, with all its labels and scores, streamed from the file."""
        for record, _ in self._seen.settled(self._read()):
            yield record

    def as_dict(self) -> dict[str, Any]:
        """The keys of ``import --json`` that are known before anything is stored."""
        return self.report.as_dict() | {
            "first_cases": [asdict(row) for row in self.preview.rows(self._seen.blocked)],
            "cases": self.cases,
            "distinct_ids": self.distinct_ids,
            "labels": self.labels,
            "scores": self.scores,
            "lost": self.lost,
            "judged": [{"judge": judge, "metric": metric} for (judge, metric), _ in self.report.scored.most_common()],
            "labeled": [metric for metric, _ in self.report.labeled.most_common()],
            "grades": sorted(self.report.grades),
            "duplicates": len(self.duplicates),
            "duplicate_lines": self.duplicate_lines,
            "same_content": self.same_content,
            "conflicts": [asdict(conflict) for conflict in self.conflicts],
            "refused": [asdict(refusal) for refusal in self.refused],
            "refused_together": [asdict(group) for group in grouped(self.refused)],
            "warnings": self.warnings,
            "remarks": [asdict(remark) for remark in self.remarks()],
        }

    def _read(self) -> Iterator[Record]:
        if _state(self.path) != self._state:
            raise CaseFileError("The file changed after it was checked.", advice="Import it again.")
        items = open_import(self.path, self.options, off_scale=self.off_scale)
        return (item for item in items if isinstance(item, Record))

    def _first_pass(self, imported: Import) -> None:
        for item in imported:
            if isinstance(item, Refusal):
                self._refuse(item)
                continue
            self._seen.add(item)
            self.preview.add(key_of(item.case.id, item.case.system), item)
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
                self._lost[refusal.field] += 1
                self._refuse(refusal)

    def _refuse(self, refusal: Refusal) -> None:
        if len(self.refused) < MAX_LISTED:
            self.refused.append(refusal)
        else:
            self.refused_unlisted += 1


def scan(path: Path, options: ImportOptions | None = None) -> Scan:
    """Read the whole file and say what importing it would do: once, and again where only the whole tells how to.

    Raises
    ------
    CaseFileError
        When the file as a whole cannot be read. Rows that cannot are in ``refused``.
    """
    options, path = options or ImportOptions(), Path(path)
    state = _state(path)
    found = _look(path, options, state)
    if options.decimal is None and found.report.has_decimal_commas:
        options = replace(options, decimal=",")
        found = _look(path, options, state)
    if off_scale := found.report.scales.off():
        found = _look(path, options, state, off_scale)
    return found


def _look(path: Path, options: ImportOptions, state: tuple[int, int], off_scale: OffScale = NOTHING_OFF) -> Scan:
    imported = open_import(path, options, off_scale=off_scale)
    found = Scan(path, options, imported.report, off_scale, _state=state)
    found._first_pass(imported)
    return found


def _state(path: Path) -> tuple[int, int]:
    try:
        status = os.stat(path)
    except OSError as error:
        raise CaseFileError(f"The file cannot be opened: {error.strerror}.") from error
    return status.st_size, status.st_mtime_ns
