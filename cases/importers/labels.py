"""The labels that come with a row: the canonical ``human`` list, or a table's columns.

A label that cannot be read is refused alone: the row stays, and so do its other labels and its scores.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any

from cases.importers.draft import Draft, FieldError, entries_of, is_blank, name_of, number_of, text_of
from cases.importers.limits import MAX_UNITS, UNIT_LIMITS, over
from cases.importers.moments import FIRST_YEAR, LAST_YEAR, moment_of
from cases.importers.options import ImportOptions
from cases.importers.report import ImportReport
from cases.importers.words import grade_hint, is_number, plain_word, verdict_of, words_option, words_pairs
from cases.records import Hint, LabelRecord, TestCase, Verdict

_COLUMNS = ("human", "grade", "scale", "annotator", "note", "failure_mode", "created_at", "seconds")
_KEYS = {"annotator", "metric", "verdict", "grade", "scale", "note", "failure_mode", "claims", "created_at", "seconds"}


class LabelReader:
    """``graded``: metrics under whose labels stand grades, so that a 1 is no pass and a 0 no fail."""

    def __init__(self, options: ImportOptions, report: ImportReport, graded: Collection[str] = ()) -> None:
        self.options, self.report, self.graded = options, report, graded
        self._taught = {plain_word(word) for word in options.words}

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
                self.report.refused_labels += 1
                draft.refuse_entry(f"human[{at}]", error, entry)
            else:
                seen.add((label.annotator, label.metric))
                _keep_extra_keys(draft, at, entry)
                yield _timed(draft, label, f"human[{at}]")

    def _in_columns(self, draft: Draft, case: TestCase) -> Iterator[LabelRecord]:
        columns = draft.take(*_COLUMNS)
        self.report.saw_number(columns.get("grade"))
        entry = {**columns, "verdict": columns.get("human"), **draft.take("metric")}
        try:
            yield _timed(draft, self._label(entry, case))
        except FieldError as error:
            self.report.refused_labels += 1
            draft.give_back(*_COLUMNS, "metric")
            draft.refuse("human" if error.field == "verdict" else error.field, error)

    def _label(self, entry: Any, case: TestCase) -> LabelRecord:
        if not isinstance(entry, dict):
            raise FieldError("", "is no object with a verdict or a grade")
        metric = name_of(entry, "metric", self.options.metric)
        verdict, (grade, scale) = self._verdict(entry.get("verdict"), metric), _grade(entry, self.options.decimal)
        if verdict is None and grade is None:
            raise FieldError("verdict", "there is neither a verdict nor a grade")
        return LabelRecord(
            case_id=case.id,
            system=case.system,
            annotator=name_of(entry, "annotator", self.options.annotator),
            metric=metric,
            verdict=verdict,
            grade=grade,
            scale=scale,
            note=text_of(entry, "note") or "",
            failure_mode=name_of(entry, "failure_mode"),
            units=_units(entry),
            created_at="" if is_blank(entry.get("created_at")) else str(entry["created_at"]).strip(),
            seconds=number_of(entry, "seconds", self.options.decimal),
        )

    def _verdict(self, word: Any, metric: str) -> Verdict | None:
        if is_blank(word):
            return None
        if not isinstance(word, str | bool | int | float):
            raise FieldError("verdict", "the label is no word")
        shown, verdict = str(word).strip()[:80], verdict_of(word, self.options.words)
        is_among_grades = self._is_untaught_number(shown, metric) and metric in self.graded
        if verdict and not is_among_grades:
            return verdict
        self.report.saw_unknown_word(shown)
        problem = f"{shown!r} stands among grades" if verdict else f"{shown!r} is no verdict"
        raise FieldError("verdict", problem, hint=self._hint(shown))

    def _is_untaught_number(self, shown: str, metric: str) -> bool:
        """Whether it is a number that ``--words`` does not explain; counted, to tell grades from 1 and 0."""
        if not is_number(shown) or plain_word(shown) in self._taught:
            return False
        self.report.scales.saw_label(metric, float(shown))
        return True

    def _hint(self, word: str) -> Hint:
        if is_number(word):
            return grade_hint(self.report.column_of("human"), ["4"], "it as a grade")
        return Hint("words", f"{words_option([word])} would read it", words_pairs([word]))


def _grade(entry: Mapping[str, Any], decimal: str | None) -> tuple[float | None, tuple[float, float] | None]:
    grade, scale = number_of(entry, "grade", decimal), _scale(entry.get("scale"))
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


def _units(entry: Mapping[str, Any]) -> tuple[dict[str, Any], ...]:
    units = entries_of(entry, "claims")
    if len(units) > MAX_UNITS:
        raise FieldError("claims", f"has {len(units):,} entries; {MAX_UNITS:,} fit")
    for unit in units:
        for name, limit in UNIT_LIMITS.items():
            if problem := over(limit, "" if unit.get(name) is None else str(unit[name])):
                raise FieldError("claims", f"{name} {problem}")
    return units


def _timed(draft: Draft, label: LabelRecord, place: str = "") -> LabelRecord:
    """The label, without its time where that is none: refused alone, the text kept as metadata."""
    if not label.created_at or moment_of(label.created_at):
        return label
    error = FieldError(
        "created_at",
        f"no time from {FIRST_YEAR} to {LAST_YEAR}, such as 2026-05-01T09:00:00Z",
        value=f"{label.created_at[:40]!r}",
    )
    if place:
        draft.refuse_entry(place, error, label.created_at)
    else:
        draft.give_back("created_at")
        draft.refuse("created_at", error)
    return replace(label, created_at="")


def _keep_extra_keys(draft: Draft, at: int, entry: Mapping[str, Any]) -> None:
    if extra := {key: value for key, value in entry.items() if key not in _KEYS}:
        draft.metadata.setdefault("label_details", {})[f"human[{at}]"] = extra
