"""The first cases of a file as they were read: what a person looks at before anything is stored."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

from cases.records import LabelRecord, Record, ScoreRecord

PREVIEW_ROWS = 50
_CLIP = 200


@dataclass
class PreviewRow:
    """One case as it would be stored. ``also_on``: further lines that say the same, their labels joined here."""

    line: int
    id: str
    system: str
    question: str | None
    answer: str | None  # None for a golden, "" for an empty answer
    shape: str | None
    chunks: int | None
    labels: list[dict[str, Any]] = field(default_factory=list)
    scores: list[dict[str, Any]] = field(default_factory=list)
    also_on: list[int] = field(default_factory=list)


class Preview:
    def __init__(self) -> None:
        self._rows: dict[tuple[str, str], PreviewRow] = {}

    def add(self, key: tuple[str, str], record: Record) -> None:
        row = self._rows.get(key)
        if row is not None:
            row.also_on.append(record.line)
        elif len(self._rows) < PREVIEW_ROWS:
            row = self._rows[key] = _row(record)
        if row is not None:
            row.labels += [each for each in map(_label, record.labels) if each not in row.labels]
            row.scores += [each for each in map(_score, record.scores) if each not in row.scores]

    def rows(self, blocked: Collection[tuple[str, str]]) -> list[PreviewRow]:
        """In file order, each case once, without those in conflict: these are not stored."""
        return [row for key, row in self._rows.items() if key not in blocked]


def _row(record: Record) -> PreviewRow:
    case = record.case
    chunks = None if record.context_shape is None else len(case.retrieval_context or ())
    return PreviewRow(
        record.line,
        case.id,
        case.system,
        _clipped(case.input),
        _clipped(case.actual_output),
        record.context_shape,
        chunks,
    )


def _clipped(text: str | None) -> str | None:
    return text if text is None or len(text) <= _CLIP else text[: _CLIP - 1] + "…"


def _label(label: LabelRecord) -> dict[str, Any]:
    return {"metric": label.metric, "verdict": label.verdict, "grade": label.grade}


def _score(score: ScoreRecord) -> dict[str, Any]:
    return {"metric": score.metric, "score": score.score, "unscored": score.not_applicable or score.error}
