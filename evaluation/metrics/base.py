"""What every metric is, and what measuring a case with one can end in."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from cases.records import TestCase
from cases.units import split_claims
from evaluation.errors import JudgeError
from evaluation.judges.base import Judge, Prompt
from evaluation.replies import UnitVerdict

#: Unit texts by kind: "claim", "expected", "chunk".
Units = Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True)
class MetricResult:
    """A score in [0, 1] with the verdicts it was made of. A flag says what the number alone would hide."""

    score: float
    flags: tuple[str, ...] = ()
    verdicts: tuple[UnitVerdict, ...] = ()

    def __post_init__(self) -> None:
        if not (math.isfinite(self.score) and 0 <= self.score <= 1):
            raise ValueError(f"{self.score} is no score: it must be from 0 to 1")


@dataclass(frozen=True, slots=True)
class NotApplicable:
    """The metric says nothing of a case without this field."""

    field: str

    @property
    def reason(self) -> str:
        return f"'{self.field}' is missing or blank"


@dataclass(frozen=True, slots=True)
class Unscored:
    """The judge was to score the case and did not."""

    reason: str
    raw_reply: str = ""


Outcome = MetricResult | NotApplicable | Unscored


class Metric(Protocol):
    """A way to turn a case into a score. Keeps nothing between calls and never sees a threshold."""

    @property
    def version(self) -> str: ...

    @property
    def needs(self) -> tuple[str, ...]: ...

    @property
    def unit_kind(self) -> str: ...

    @property
    def prompts(self) -> tuple[Prompt, ...]: ...

    async def measure(self, case: TestCase, judge: Judge, units: Units | None = None) -> MetricResult: ...


async def outcome_of(metric: Metric, case: TestCase, judge: Judge, units: Units | None = None) -> Outcome:
    """The metric's result on the case; not applicable when a field it needs is blank, unscored when the judge fails."""
    if (field := first_blank(case, metric.needs)) is not None:
        return NotApplicable(field)
    if judge.whole_score is not None:
        return MetricResult(score=judge.whole_score, flags=("recorded_score",))
    try:
        return await metric.measure(case, judge, units)
    except JudgeError as error:
        return Unscored(str(error), error.raw_reply)


def first_blank(case: TestCase, needs: Iterable[str]) -> str | None:
    """The first needed field that is absent, empty or only blanks."""
    return next((name for name in needs if _is_blank(getattr(case, name))), None)


def _is_blank(value: str | Sequence[str] | None) -> bool:
    if value is None:
        return True
    return not value.strip() if isinstance(value, str) else not any(text.strip() for text in value)


def units_of(case: TestCase, kind: str, units: Units | None) -> tuple[str, ...]:
    """The texts to judge: the shared ones as given, else made here by the same rule."""
    if units is not None:
        return tuple(units.get(kind, ()))
    if kind == "chunk":
        return case.retrieval_context or ()
    text = case.actual_output if kind == "claim" else case.expected_output
    return tuple(split_claims(text or "", case.language))


def share_of_yes(verdicts: Sequence[UnitVerdict]) -> float:
    """Yes verdicts among all; "no" and "idk" count alike. Only called where there is at least one."""
    return sum(verdict.is_yes for verdict in verdicts) / len(verdicts)
