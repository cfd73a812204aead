"""The scores that come with a row: the canonical ``judge`` list, or a table's columns.

A score that cannot be read is refused alone, its value kept as metadata: never a zero, never clamped.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from cases.importers.draft import Draft, FieldError, entries_of, is_blank, name_of, number_of, text_of
from cases.importers.options import ImportOptions
from cases.importers.report import ImportReport
from cases.importers.scales import Pair, is_outside, off_scale
from cases.records import ScoreRecord, TestCase

_KEYS = ("judge", "metric", "score", "error", "not_applicable", "reason", "verdicts", "flags")


class ScoreReader:
    """``off_scale``: judges and metrics none of whose scores is taken, for most of them lie outside 0 to 1."""

    def __init__(self, options: ImportOptions, report: ImportReport, off_scale: Collection[Pair] = ()) -> None:
        self.options, self.report, self.off_scale = options, report, off_scale

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
                self.report.refused_scores += 1
                draft.refuse_entry(f"judge[{at}]", error, entry)
            else:
                seen.add((score.judge, score.metric))
                yield score

    def _in_columns(self, draft: Draft, case: TestCase) -> Iterator[ScoreRecord]:
        if is_blank(draft.fields["score"]) and is_blank(draft.fields.get("error")):
            self.report.oddities["without a score"] += 1
            return
        entry = draft.take("score", "judge", "error", "metric")
        self.report.saw_number(entry.get("score"))
        try:
            yield self._score(entry, case)
        except FieldError as error:
            self.report.refused_scores += 1
            draft.give_back("score", "judge", "error")
            draft.refuse(error.field, error)

    def _score(self, entry: Any, case: TestCase) -> ScoreRecord:
        if not isinstance(entry, dict):
            raise FieldError("", "is no object with a score")
        judge, metric = name_of(entry, "judge", self.options.judge), name_of(entry, "metric", self.options.metric)
        score, error, not_applicable = _result(entry, self._share(entry, judge, metric))
        return ScoreRecord(
            case_id=case.id,
            system=case.system,
            judge=judge,
            metric=metric,
            score=score,
            error=error,
            not_applicable=not_applicable,
            reason=text_of(entry, "reason") or "",
            verdicts=entries_of(entry, "verdicts"),
            flags=_flags(entry),
            raw={key: value for key, value in entry.items() if key not in _KEYS},
        )

    def _share(self, entry: Mapping[str, Any], judge: str, metric: str) -> float | None:
        """The score, which must lie in 0 to 1 and among others that do."""
        number = number_of(entry, "score", self.options.decimal)
        if number is None:
            return None
        self.report.scales.saw((judge, metric), number)
        if (judge, metric) in self.off_scale:
            raise FieldError("score", off_scale(judge, metric), value=f"{number:g}")
        if is_outside(number):
            raise FieldError("score", f"{number:g} is outside 0 to 1")
        return min(max(number, 0.0), 1.0)


def _result(entry: Mapping[str, Any], score: float | None) -> tuple[float | None, str, str]:
    """Exactly one of the three: a score, why there is none, or what the metric lacked."""
    error, not_applicable = name_of(entry, "error"), name_of(entry, "not_applicable")
    if score is not None and (error or not_applicable):
        raise FieldError("score", f"there is a score of {score:g} and also: {error or not_applicable}")
    if not_applicable:
        return None, "", not_applicable
    return score, error or ("" if score is not None else "the file gives no score"), ""


def _flags(entry: Mapping[str, Any]) -> tuple[str, ...]:
    flags = entry.get("flags") or []
    if not isinstance(flags, list) or not all(isinstance(flag, str) for flag in flags):
        raise FieldError("flags", "is no list of words")
    return tuple(flags)
