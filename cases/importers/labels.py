"""The labels that come with a row: the canonical ``human`` list, or a table's columns.

A label that cannot be read is refused alone: the row stays, and so do its other labels and its scores.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from cases.importers.draft import Draft, FieldError, entries_of, is_blank, name_of, number_of, text_of
from cases.importers.options import ImportOptions
from cases.importers.report import ImportReport
from cases.importers.words import is_number, verdict_of, words_option
from cases.records import LabelRecord, TestCase, Verdict

_COLUMNS = ("human", "grade", "scale", "annotator", "note", "failure_mode", "created_at", "seconds")
_KEYS = {"annotator", "metric", "verdict", "grade", "scale", "note", "failure_mode", "claims", "created_at", "seconds"}


class LabelReader:
    def __init__(self, options: ImportOptions, report: ImportReport) -> None:
        self.options, self.report = options, report

    def read(self, draft: Draft, case: TestCase) -> Iterator[LabelRecord]:
        human = draft.fields.get("human")
        if isinstance(human, list):
            draft.take("human")
            yield from self._listed(draft, case, human)
        elif not is_blank(human) or not is_blank(draft.fields.get("grade")):
            yield from self._in_columns(draft, case)

    def _listed(self, draft: Draft, case: TestCase, entries: list[Any]) -> Iterator[LabelRecord]:
        seen: set[tuple[str, str]] = set()
        for at, entry in enumerate(entries):
            try:
                label = self._label(entry, case)
                if (label.annotator, label.metric) in seen:
                    raise FieldError("", f"{label.annotator} has labeled {label.metric} already in this row")
            except FieldError as error:
                draft.refuse_entry(f"human[{at}]", error, entry)
            else:
                seen.add((label.annotator, label.metric))
                _keep_extra_keys(draft, at, entry)
                yield label

    def _in_columns(self, draft: Draft, case: TestCase) -> Iterator[LabelRecord]:
        columns = draft.take(*_COLUMNS)
        entry = {**columns, "verdict": columns.get("human"), **draft.take("metric")}
        try:
            yield self._label(entry, case)
        except FieldError as error:
            draft.give_back(*_COLUMNS, "metric")
            draft.refuse("human" if error.field == "verdict" else error.field, error.reason)

    def _label(self, entry: Any, case: TestCase) -> LabelRecord:
        if not isinstance(entry, dict):
            raise FieldError("", "is no object with a verdict or a grade")
        verdict, (grade, scale) = self._verdict(entry.get("verdict")), _grade(entry)
        if verdict is None and grade is None:
            raise FieldError("verdict", "there is neither a verdict nor a grade")
        return LabelRecord(
            case_id=case.id,
            system=case.system,
            annotator=name_of(entry, "annotator", self.options.annotator),
            metric=name_of(entry, "metric", self.options.metric),
            verdict=verdict,
            grade=grade,
            scale=scale,
            note=text_of(entry, "note") or "",
            failure_mode=name_of(entry, "failure_mode"),
            units=entries_of(entry, "claims"),
            created_at=name_of(entry, "created_at"),
            seconds=number_of(entry, "seconds"),
        )

    def _verdict(self, word: Any) -> Verdict | None:
        if is_blank(word):
            return None
        if not isinstance(word, str | bool | int | float):
            raise FieldError("verdict", "the label is no word")
        if verdict := verdict_of(word, self.options.words):
            return verdict
        raise FieldError("verdict", self._advice(str(word).strip()[:80]))

    def _advice(self, word: str) -> str:
        self.report.saw_unknown_word(word)
        if is_number(word):
            column = self.report.column_of("human")
            return f"{word!r} is no verdict; --map {column}=grade would read it as a grade"
        return f"{word!r} is no verdict; {words_option([word])} would read it"


def _grade(entry: Mapping[str, Any]) -> tuple[float | None, tuple[float, float] | None]:
    grade, scale = number_of(entry, "grade"), _scale(entry.get("scale"))
    if grade is not None and scale and not scale[0] <= grade <= scale[1]:
        raise FieldError("grade", f"{grade:g} is outside the scale {scale[0]:g} to {scale[1]:g}")
    return grade, scale


def _scale(value: Any) -> tuple[float, float] | None:
    """``[1, 4]``, or ``1-4`` in a cell."""
    if is_blank(value):
        return None
    ends = value.split("-") if isinstance(value, str) else value
    if not isinstance(ends, list) or len(ends) != 2:
        raise FieldError("scale", "is no pair of a lowest and a highest grade")
    low, high = (number_of({"scale": end}, "scale") for end in ends)
    if low is None or high is None or low >= high:
        raise FieldError("scale", "its lowest grade is not below its highest")
    return low, high


def _keep_extra_keys(draft: Draft, at: int, entry: Mapping[str, Any]) -> None:
    if extra := {key: value for key, value in entry.items() if key not in _KEYS}:
        draft.metadata.setdefault("label_details", {})[f"human[{at}]"] = extra
