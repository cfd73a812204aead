"""From a raw row to a record: fields by name, texts letter for letter, every refusal with its field."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from cases.importers.chunks import EMPTY, JSON_LIST, Chunks, as_chunks, read_cell
from cases.importers.draft import Draft, FieldError, beside, is_blank, kind_of, name_of, number_of, text_of
from cases.importers.fields import CHUNK_FIELDS, LIST_FIELDS, NAME_FIELDS, NUMBER_FIELDS, TEXT_FIELDS
from cases.importers.labels import LabelReader
from cases.importers.options import NOTHING_SAID, ImportOptions, RawRow
from cases.importers.report import ImportReport
from cases.importers.safety import cell_json, flaw
from cases.importers.scales import NOTHING_OFF, OffScale
from cases.importers.scores import ScoreReader
from cases.records import Hint, Record, Refusal, TestCase

#: Where metadata may hold what belongs to the case itself, as in the canonical shape.
_LIFTED = {"system": ("system", "model"), "language": ("language",), "group_id": ("group_id",)}


class RowReader:
    """Reads rows of one file; ``is_table`` when an empty cell means that nothing is there."""

    def __init__(
        self, options: ImportOptions, report: ImportReport, *, is_table: bool, off_scale: OffScale = NOTHING_OFF
    ) -> None:
        if not options.needs_case:
            options = replace(options, decimal=options.decimal or ".")  # labels alone: their command has no --decimal
        self.options, self.report, self.is_table = options, report, is_table
        self.labels = LabelReader(options, report, off_scale.labels)
        self.scores = ScoreReader(options, report, off_scale.scores)

    def read(self, row: RawRow) -> Iterator[Record | Refusal]:
        """The record and then what was refused of it; or the one refusal of the whole row."""
        self.report.rows += 1
        if problem := flaw(row.values):
            yield self._refused(Draft(row.line, row.where, {}, {}), FieldError(*problem))
            return
        draft = self._draft(row)
        try:
            record = self._record(draft)
        except FieldError as error:
            yield self._refused(draft, error)
            return
        self.report.add(record)
        yield record
        yield from draft.refusals

    def _refused(self, draft: Draft, error: FieldError) -> Refusal:
        self.report.refused_rows += 1
        return draft.refusal(error.field, error)

    def _draft(self, row: RawRow) -> Draft:
        columns, rest = self.report.columns_read.assign(row.values)
        fields = {name: row.values[column] for name, column in columns.items()}
        return Draft(row.line, row.where, fields, columns, metadata=rest)

    def _record(self, draft: Draft) -> Record:
        self._open_metadata(draft)
        case, shape = self._case(draft)
        labels = tuple(self.labels.read(draft, case))
        scores = tuple(self.scores.read(draft, case))
        if not self.options.needs_case and not (labels or scores or draft.refusals):
            raise FieldError("human", NOTHING_SAID)
        case = replace(case, metadata=draft.remaining())
        return Record(draft.line, case, labels, scores, shape)

    def _case(self, draft: Draft) -> tuple[TestCase, str | None]:
        values: dict[str, Any] = {name: _name(draft, name) for name in NAME_FIELDS}
        values |= {name: self._text(draft, name) for name in TEXT_FIELDS}
        if self.options.needs_case and is_blank(values["input"]) and is_blank(values["actual_output"]):
            raise FieldError("input", "there is neither an input nor an answer", hint=self._column_hint())
        chunks, shapes = self._chunks(draft)
        values |= {
            **chunks,
            **{name: _list(draft, name) for name in LIST_FIELDS},
            **_numbers(draft, self.options.decimal),
        }
        return self._with_id(TestCase(**values)), shapes.get("retrieval_context")

    def _with_id(self, case: TestCase) -> TestCase:
        if case.id:
            return case
        if not self.options.needs_case:
            raise FieldError("id", "there is no id to find the case by")
        self.report.derived_ids += 1
        # From the content: the same row gets the same id in the next file too.
        return replace(case, id=f"row-{case.judged_hash()[:16]}")

    def _text(self, draft: Draft, name: str) -> str | None:
        text = text_of(draft.take(name), name)
        # A table cannot tell null from empty: an empty answer is an answer, an empty question is none.
        return None if self.is_table and text == "" and name != "actual_output" else text

    def _column_hint(self) -> Hint | None:
        columns = self.report.unknown_columns[:8]
        if not columns:
            return None
        advice = f"the columns {', '.join(columns)} are no fields; --map column=input would name one"
        return Hint("columns", advice, f"{columns[0]}=input")

    def _chunks(self, draft: Draft) -> tuple[dict[str, Chunks | None], dict[str, str]]:
        present = [name for name in CHUNK_FIELDS if name in draft.fields]
        read = {name: self._one_context(draft, name) for name in present}
        return {name: chunks for name, (chunks, _) in read.items()}, {n: shape for n, (_, shape) in read.items()}

    def _one_context(self, draft: Draft, name: str) -> tuple[Chunks | None, str]:
        value = draft.take(name)[name]
        if value is None:
            return None, EMPTY
        if isinstance(value, str):
            return read_cell(value, self.options.context_separator)
        if (chunks := as_chunks(value)) is None:
            raise FieldError(name, _not_chunks(value))
        if any(item is None for item in value):
            self.report.oddities["with a null chunk, kept empty so that ranks stay"] += 1
        return chunks, JSON_LIST

    def _open_metadata(self, draft: Draft) -> None:
        value = draft.take("metadata").get("metadata")
        if isinstance(value, str):
            value = cell_json(value) or value
        if isinstance(value, dict):
            draft.metadata = beside(draft.metadata, value)
        elif not is_blank(value):
            draft.metadata["metadata"] = value


def _name(draft: Draft, name: str) -> str:
    given = name_of(draft.take(name), name)
    for key in () if given else _LIFTED.get(name, ()):
        value = draft.metadata.get(key)
        if isinstance(value, str | int) and not isinstance(value, bool) and str(value).strip():
            return name_of({name: draft.metadata.pop(key)}, name)
    return given


def _list(draft: Draft, name: str) -> tuple[Any, ...] | None:
    value = draft.take(name).get(name)
    if name == "history" and is_blank(value) and isinstance(draft.metadata.get("history"), list):
        value = draft.metadata.pop("history")
    if isinstance(value, str) and not is_blank(value):
        listed = cell_json(value)
        value = listed if isinstance(listed, list) else [value]
    if is_blank(value):
        return () if name in ("history", "tags") else None
    if not isinstance(value, list):
        raise FieldError(name, f"is {kind_of(value)}, not a list")
    if name == "tags" and not all(isinstance(tag, str) for tag in value):
        raise FieldError(name, "is no list of words")
    return tuple(value)


def _numbers(draft: Draft, decimal: str | None) -> dict[str, float | None]:
    numbers: dict[str, float | None] = {}
    for name in NUMBER_FIELDS:
        try:
            numbers[name] = number_of(draft.take(name), name, decimal)
        except FieldError as error:
            draft.give_back(name)
            draft.refuse(name, error)
    return numbers


def _not_chunks(value: Any) -> str:
    if not isinstance(value, list):
        return f"is {kind_of(value)}, not a list of texts"
    at, odd = next((at, item) for at, item in enumerate(value, 1) if not isinstance(item, str | None))
    return f"chunk {at} is {kind_of(odd)}, not text"
