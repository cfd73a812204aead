"""What an import found: shown before anything is stored, and stored beside it after."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from cases.importers.chunks import Chunks
from cases.importers.fields import Columns
from cases.importers.words import is_number, words_option
from cases.records import Record

PREVIEW_ROWS = 50


@dataclass(frozen=True, slots=True)
class RowShape:
    """How one row's retrieval context was read."""

    line: int
    id: str
    shape: str
    chunks: int


@dataclass
class ImportReport:
    format: str
    encoding: str
    columns_read: Columns
    delimiter: str | None = None
    rows: int = 0
    refused_rows: int = 0
    cases: int = 0
    labels: int = 0
    scores: int = 0
    goldens: int = 0
    empty_answers: int = 0
    derived_ids: int = 0
    repeated_headers: int = 0
    context_shapes: Counter[str] = field(default_factory=Counter)
    preview: list[RowShape] = field(default_factory=list)
    unknown_words: Counter[str] = field(default_factory=Counter)
    oddities: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)
    _chunk_counts: Counter[int] = field(default_factory=Counter)

    @property
    def columns(self) -> list[str]:
        return list(self.columns_read.seen)

    @property
    def mapping(self) -> dict[str, str]:
        return dict(self.columns_read.mapping)

    @property
    def unknown_columns(self) -> list[str]:
        """Columns that are no field: their values are kept in the metadata."""
        return list(self.columns_read.unknown)

    @property
    def chunks(self) -> dict[str, float | None]:
        """Fewest, median and most chunks of a row; a row with an empty context has 0."""
        if not self._chunk_counts:
            return {"min": None, "median": None, "max": None}
        middle = float(median(self._chunk_counts.elements()))
        whole = int(middle) if middle.is_integer() else middle
        return {"min": min(self._chunk_counts), "median": whole, "max": max(self._chunk_counts)}

    @property
    def warnings(self) -> list[str]:
        return [*self.notes, *self._counted()]

    def add(self, record: Record, shape: str | None) -> None:
        """Count one record; ``shape`` is None where the row has no retrieval context field at all."""
        case = record.case
        self.cases += 1
        self.labels += len(record.labels)
        self.scores += len(record.scores)
        self.goldens += case.is_golden
        self.empty_answers += not case.is_golden and not (case.actual_output or "").strip()
        if shape is not None:
            self._count_chunks(record.line, case.id, case.retrieval_context, shape)

    def _count_chunks(self, line: int, case_id: str, chunks: Chunks | None, shape: str) -> None:
        count = len(chunks or ())
        self.context_shapes[shape] += 1
        self._chunk_counts[count] += 1
        if len(self.preview) < PREVIEW_ROWS:
            self.preview.append(RowShape(line, case_id, shape, count))

    def _counted(self) -> Iterator[str]:
        if self.empty_answers:
            yield f"{plural(self.empty_answers, 'case')} with an empty answer"
        if self.goldens:
            yield f"{plural(self.goldens, 'row')} without an answer: goldens"
        if self.derived_ids:
            yield f"{plural(self.derived_ids, 'row')} without an id: ids were made from the content"
        if self.repeated_headers:
            yield f"{plural(self.repeated_headers, 'repeated header')} passed over"
        for oddity, count in self.oddities.items():
            yield f"{plural(count, 'row')} {oddity}"
        if self.unknown_columns:
            yield f"Not fields, kept as metadata: {', '.join(self.unknown_columns[:20])}"
        for column in self.columns_read.missing():
            yield f"No row has a column {column!r}, which --map names"
        if self.unknown_words:
            yield f"Label words that were not read: {self._words_advice()}"

    def _words_advice(self) -> str:
        seen = [word for word, _ in self.unknown_words.most_common(20)]
        named = ", ".join(repr(word) for word in seen)
        if all(is_number(word) for word in seen):
            return f"{named}. They look like grades: --map {self.column_of('human')}=grade would read them"
        return f"{named}. {words_option(seen)} would read them"

    def saw_unknown_word(self, word: str) -> None:
        if word in self.unknown_words or len(self.unknown_words) < 1000:
            self.unknown_words[word] += 1

    def column_of(self, name: str) -> str:
        """The column a field was read from, for messages."""
        return next((column for column, taken in self.mapping.items() if taken == name), name)

    def as_dict(self) -> dict[str, Any]:
        """The keys of ``import --json`` that concern the file itself."""
        return {
            "rows": self.rows,
            "format": self.format,
            "encoding": self.encoding,
            "delimiter": self.delimiter,
            "columns": self.columns,
            "mapping": self.mapping,
            "chunks": self.chunks,
            "context_shapes": dict(self.context_shapes),
            "labels": self.labels,
            "scores": self.scores,
            "warnings": self.warnings,
        }


def plural(count: int, noun: str) -> str:
    """``1 case``, ``2 cases``."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
