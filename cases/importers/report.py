"""What an import found: shown before anything is stored, and stored beside it after."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from cases.importers.draft import is_blank, is_decimal_comma
from cases.importers.fields import Columns
from cases.importers.refusals import lines_named
from cases.importers.scales import Pair, Scales
from cases.importers.words import grade_hint, is_number, words_option, words_pairs
from cases.records import Hint, Record

_LINES_NAMED = 10


@dataclass(frozen=True, slots=True)
class Remark:
    """Something worth knowing about the whole file."""

    problem: str
    hint: Hint | None = None

    def __str__(self) -> str:
        return f"{self.problem}. {self.hint.advice}" if self.hint else self.problem


@dataclass
class Lines:
    """How many lines something happened on, and the first of them."""

    count: int = 0
    first: list[int] = field(default_factory=list)

    def add(self, line: int) -> None:
        self.count += 1
        if len(self.first) < _LINES_NAMED:
            self.first.append(line)

    def __str__(self) -> str:
        if self.count > len(self.first):
            return f"lines {', '.join(map(str, self.first))} ..."
        return lines_named(self.first, self.count)


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
    empty_answers: Lines = field(default_factory=Lines)
    empty_questions: Lines = field(default_factory=Lines)
    refused_labels: int = 0
    refused_scores: int = 0
    derived_ids: int = 0
    repeated_headers: int = 0
    context_shapes: Counter[str] = field(default_factory=Counter)
    decimal: str | None = None
    scales: Scales = field(default_factory=Scales)
    off_scale: Collection[Pair] = ()
    scored: Counter[Pair] = field(default_factory=Counter)
    labeled: Counter[str] = field(default_factory=Counter)
    grades: set[float] = field(default_factory=set)
    unknown_words: Counter[str] = field(default_factory=Counter)
    oddities: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)
    _chunk_counts: Counter[int] = field(default_factory=Counter)
    _commas: int = 0
    _points: int = 0

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
        return [str(remark) for remark in self.remarks()]

    def remarks(self) -> list[Remark]:
        """Everything worth knowing, scores on a wrong scale first: they are what costs most when overlooked."""
        scales = [Remark(problem, hint) for problem, hint in self.scales.remarks(self.off_scale)]
        counted = [Remark(text) for text in (*self.notes, *self._counted())]
        return [*scales, *counted, *self._advised()]

    def add(self, record: Record) -> None:
        """Count one record."""
        case = record.case
        self.cases += 1
        self._count_opinions(record)
        self.goldens += case.is_golden
        if not case.is_golden and is_blank(case.actual_output):
            self.empty_answers.add(record.line)
        if is_blank(case.input) and not is_blank(case.actual_output):
            self.empty_questions.add(record.line)
        if record.context_shape is not None:
            self.context_shapes[record.context_shape] += 1
            self._chunk_counts[len(case.retrieval_context or ())] += 1

    def _count_opinions(self, record: Record) -> None:
        self.labels += len(record.labels)
        self.scores += len(record.scores)
        self.labeled.update(label.metric for label in record.labels)
        self.grades.update(label.grade for label in record.labels if label.grade is not None and not label.verdict)
        self.scored.update((score.judge, score.metric) for score in record.scores)

    def saw_number(self, value: Any) -> None:
        """Remember how a table's score or grade writes its fraction."""
        if is_decimal_comma(value):
            self._commas += 1
        elif isinstance(value, str) and "." in value:
            self._points += 1

    @property
    def has_decimal_commas(self) -> bool:
        """Whether commas can only be decimal: they do not part the columns, and every fraction has one."""
        return self.delimiter in (";", "\t") and self._commas > 0 and self._points == 0

    def _counted(self) -> Iterator[str]:
        if self.decimal == "," and self._commas:
            yield "Numbers are read with a decimal comma: 0,62 is 0.62"
        if self.empty_answers.count:
            yield f"{plural(self.empty_answers.count, 'case')} with an empty answer: {self.empty_answers}"
        if self.empty_questions.count:
            rows = plural(self.empty_questions.count, "row")
            yield f"{rows} with an answer but an empty question: {self.empty_questions}"
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

    def _advised(self) -> Iterator[Remark]:
        for column in self.columns_read.missing():
            yield Remark(f"No row has a column {column!r}", Hint("columns", "--map names it"))
        if self.unknown_words:
            seen = [word for word, _ in self.unknown_words.most_common(20)]
            named = ", ".join(repr(word) for word in seen)
            yield Remark(f"Label words that were not read: {named}", self._words_hint(seen))

    def _words_hint(self, seen: list[str]) -> Hint:
        if all(is_number(word) for word in seen):
            return grade_hint(self.column_of("human"), seen, "them as grades")
        return Hint("words", f"{words_option(seen)} would read them", words_pairs(seen))

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
            "decimal": self.decimal,
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
