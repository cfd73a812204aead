"""The scores that come with a row: the canonical ``judge`` list, or a table's columns.

A score that cannot be read is refused alone, its value kept as metadata: never a zero, never clamped.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from cases.importers.draft import Draft, FieldError, entries_of, is_blank, name_of, number_of, text_of
from cases.importers.options import ImportOptions
from cases.importers.report import ImportReport
from cases.records import ScoreRecord, TestCase

_KEYS = ("judge", "metric", "score", "error", "not_applicable", "reason", "verdicts", "flags")
#: Scores are compared at 9 places: what lies beyond an end by less is dust of a sum, no wrong scale.
_DUST = 5e-10


class ScoreReader:
    def __init__(self, options: ImportOptions, report: ImportReport) -> None:
        self.options, self.report = options, report

    def read(self, draft: Draft, case: TestCase) -> Iterator[ScoreRecord]:
        judge = draft.fields.get("judge")
        if isinstance(judge, list):
            draft.take("judge")
            yield from self._listed(draft, case, judge)
        elif "score" in draft.fields:
            yield from self._in_columns(draft, case)

    def _listed(self, draft: Draft, case: TestCase, entries: list[Any]) -> Iterator[ScoreRecord]:
        seen: set[tuple[str, str]] = set()
        for at, entry in enumerate(entries):
            try:
                score = self._score(entry, case)
                if (score.judge, score.metric) in seen:
                    raise FieldError("", f"{score.judge} has scored {score.metric} already in this row")
            except FieldError as error:
                draft.refuse_entry(f"judge[{at}]", error, entry)
            else:
                seen.add((score.judge, score.metric))
                yield score

    def _in_columns(self, draft: Draft, case: TestCase) -> Iterator[ScoreRecord]:
        if is_blank(draft.fields["score"]) and is_blank(draft.fields.get("error")):
            self.report.oddities["without a score"] += 1
            return
        entry = draft.take("score", "judge", "error", "metric")
        try:
            yield self._score(entry, case)
        except FieldError as error:
            draft.give_back("score", "judge", "error")
            draft.refuse(error.field, error.reason)

    def _score(self, entry: Any, case: TestCase) -> ScoreRecord:
        if not isinstance(entry, dict):
            raise FieldError("", "is no object with a score")
        score, error, not_applicable = _result(entry)
        return ScoreRecord(
            case_id=case.id,
            system=case.system,
            judge=name_of(entry, "judge", self.options.judge),
            metric=name_of(entry, "metric", self.options.metric),
            score=score,
            error=error,
            not_applicable=not_applicable,
            reason=text_of(entry, "reason") or "",
            verdicts=entries_of(entry, "verdicts"),
            flags=_flags(entry),
            raw={key: value for key, value in entry.items() if key not in _KEYS},
        )


def _result(entry: Mapping[str, Any]) -> tuple[float | None, str, str]:
    """Exactly one of the three: a score, why there is none, or what the metric lacked."""
    score = _share(number_of(entry, "score"))
    error, not_applicable = name_of(entry, "error"), name_of(entry, "not_applicable")
    if score is not None and (error or not_applicable):
        raise FieldError("score", f"there is a score of {score:g} and also: {error or not_applicable}")
    if not_applicable:
        return None, "", not_applicable
    return score, error or ("" if score is not None else "the file gives no score"), ""


def _share(score: float | None) -> float | None:
    if score is None or 0 <= score <= 1:
        return score
    if -_DUST < score < 1 + _DUST:
        return min(max(score, 0.0), 1.0)
    raise FieldError("score", f"{score:g} is outside 0 to 1")


def _flags(entry: Mapping[str, Any]) -> tuple[str, ...]:
    flags = entry.get("flags") or []
    if not isinstance(flags, list) or not all(isinstance(flag, str) for flag in flags):
        raise FieldError("flags", "is no list of words")
    return tuple(flags)
