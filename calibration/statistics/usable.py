"""Which rows of a calibration table count, and why the others do not. Every row is used or excluded, never both."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import compress
from typing import TYPE_CHECKING, Any

import numpy as np

from calibration.statistics.passing import STEPS, Floats, quantise
from calibration.statistics.resampling import Design, design_of
from calibration.statistics.sentences import (
    BAD_VERDICT,
    BAD_WEIGHT,
    CONTRADICTION,
    NO_SCORE,
    NO_VERDICT,
    NOT_A_NUMBER,
    NOT_APPLICABLE,
    NOT_BLIND,
    OUT_OF_RANGE,
    UNDECIDED,
)

if TYPE_CHECKING:
    import pandas

#: Why a row is left out though the judge may have scored it.
NOT_OF_THE_SCORE = {NOT_APPLICABLE, NOT_BLIND, NO_VERDICT, BAD_VERDICT, BAD_WEIGHT, UNDECIDED, CONTRADICTION}

#: A case that stands for more than this many was not drawn by any design.
HEAVIEST = 1e9


@dataclass(frozen=True, slots=True)
class Usable:
    """The cases that count, and the tally of those that do not; ``unscored`` is the part of it that lacks a score.

    ``both_verdicts``: whether people passed some and failed others, the unscored among them.

    ``human``: 1.0, 0.0 or a soft label; ``score``: in [0, 1]. ``scored_share`` is of the rows the metric applies to.
    """

    case_id: tuple[str, ...]
    human: Floats
    score: Floats
    design: Design
    excluded: dict[str, int]
    left_out: tuple[str, ...]
    unscored: dict[str, int]
    both_verdicts: bool
    undecided: int
    scored_share: float | None
    blind: frozenset[str]
    judge_prompted: int

    @property
    def n(self) -> int:
        return len(self.human)


@dataclass(frozen=True, slots=True)
class _Table:
    """The columns of the table as arrays, in the order of the case ids so that row order changes nothing."""

    columns: dict[str, list[Any]]
    rows: int

    def texts(self, name: str, default: str = "") -> list[str]:
        return ["" if _is_blank(v) else str(v).strip() for v in self.columns.get(name, [])] or [default] * self.rows

    def numbers(self, name: str) -> Floats:
        return np.array(
            [_number(value) for value in self.columns.get(name, [])] or [np.nan] * self.rows, dtype=np.float64
        )

    def flags(self, name: str) -> list[bool]:
        return [not _is_blank(v) and bool(v) for v in self.columns.get(name, [])] or [False] * self.rows

    def blanks(self, name: str) -> list[bool]:
        return [_is_blank(v) for v in self.columns.get(name, [])] or [True] * self.rows


def usable_cases(
    table: pandas.DataFrame, *, seed: int = 0, labels_blind: bool = False, undecided_as: float | None = None
) -> Usable:
    """Sort the rows of the calibration table; ``undecided_as`` counts the undecided as 0.0 or 1.0 instead."""
    if missing := {"human_pass", "score"} - set(table.columns):
        raise ValueError(f"the calibration table has no column {', '.join(sorted(missing))}")
    rows = _ordered(table)
    human, score = rows.numbers("human_pass"), rows.numbers("score")
    undecided = np.array(rows.flags("undecided"), dtype=bool) & np.isnan(human)
    if undecided_as is not None:
        human = np.where(undecided, undecided_as, human)
    why = _reasons(rows, human, score, undecided)
    kept = np.array([not reason for reason in why], dtype=bool)
    return _assemble(rows, why, kept, human, score, seed, labels_blind)


def _assemble(
    rows: _Table, why: list[str], kept: Any, human: Floats, score: Floats, seed: int, labels_blind: bool
) -> Usable:
    ids, blind = rows.texts("case_id"), rows.texts("blind", "unknown")
    unscored = _unscored(rows, score)
    applicable = [reason != NOT_APPLICABLE for reason in why]
    lacks_score = [bool(reason) and reason == found for reason, found in zip(unscored, why, strict=True)]
    said = human[kept | np.array(lacks_score, dtype=bool)]
    missing = sum(bool(reason) and does for reason, does in zip(unscored, applicable, strict=True))
    known = {("yes" if labels_blind and blind[i] != "no" else blind[i] or "unknown") for i in np.flatnonzero(kept)}
    return Usable(
        case_id=tuple(ids[i] for i in np.flatnonzero(kept)),
        human=human[kept],
        score=score[kept],
        design=_design(rows, kept, human[kept], seed),
        excluded=_tally(why),
        left_out=tuple(ids[i] for i in np.flatnonzero(~kept)),
        unscored=_tally(compress(why, lacks_score)),
        both_verdicts=bool((said > 0).any() and (said < 1).any()),
        undecided=why.count(UNDECIDED),
        scored_share=1 - missing / sum(applicable) if any(applicable) else None,
        blind=frozenset(known),
        judge_prompted=sum(np.array(rows.flags("judge_prompted"), dtype=bool)[kept].tolist()),
    )


def _tally(reasons: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(reason for reason in reasons if reason).items()))


def _ordered(table: pandas.DataFrame) -> _Table:
    columns: dict[str, list[Any]] = {str(name): table[name].tolist() for name in table.columns}
    columns.setdefault("case_id", [str(number) for number in range(1, len(table) + 1)])
    systems = columns.get("system", [""] * len(table))
    keys = [(str(case), str(system)) for case, system in zip(columns["case_id"], systems, strict=True)]
    order = sorted(range(len(table)), key=keys.__getitem__)
    return _Table({name: [values[i] for i in order] for name, values in columns.items()}, len(table))


def _reasons(rows: _Table, human: Floats, score: Floats, undecided: Any) -> list[str]:
    """Why each row does not count; "" where it does. The first reason that fits is the one counted."""
    weights, has_weight = rows.numbers("weight"), "weight" in rows.columns
    unscored, given = _unscored(rows, score), rows.texts("excluded_reason")
    checks: list[tuple[str, Any]] = [
        (NOT_APPLICABLE, rows.flags("not_applicable")),
        (NOT_BLIND, [word == "no" for word in rows.texts("blind")]),
        (NO_VERDICT, np.isnan(human) & ~undecided),
        (BAD_VERDICT, (human < 0) | (human > 1)),
        (BAD_WEIGHT, has_weight & ~((weights > 0) & (weights <= HEAVIEST))),
    ]
    reasons = list(given)
    for reason, applies in checks:
        reasons = [old or (reason if yes else "") for old, yes in zip(reasons, applies, strict=True)]
    return [
        old or why or (UNDECIDED if open_ else "")
        for old, why, open_ in zip(reasons, unscored, undecided & np.isnan(human), strict=True)
    ]


def _unscored(rows: _Table, score: Floats) -> list[str]:
    steps = quantise(score)
    blanks, given = rows.blanks("score"), rows.texts("unscored_reason")
    inside = (steps >= 0) & (steps <= STEPS)
    return [
        "" if fits else reason or (NO_SCORE if blank else NOT_A_NUMBER if np.isnan(step) else OUT_OF_RANGE)
        for fits, reason, blank, step in zip(inside, given, blanks, steps, strict=True)
    ]


def _design(rows: _Table, kept: Any, human: Floats, seed: int) -> Design:
    n = int(kept.sum())
    return design_of(
        n,
        weight=rows.numbers("weight")[kept] if "weight" in rows.columns else None,
        group=_codes(rows.texts("group"), kept, lambda place: f"case {place}"),
        stratum=_codes(rows.texts("stratum"), kept, lambda _: ""),
        soft=bool(((human > 0) & (human < 1)).any()),
        seed=seed,
    )


def _codes(names: list[str], kept: Any, blank: Callable[[int], str]) -> list[tuple[bool, str]] | Any:
    """A number for each kept row's name; a blank name is told apart from every spelled one."""
    keys = [(bool(names[i]), names[i] or blank(int(i))) for i in np.flatnonzero(kept)]
    place = {key: code for code, key in enumerate(sorted(set(keys)))}
    return np.array([place[key] for key in keys], dtype=np.int64)


def _number(value: Any) -> float:
    """The number that a cell holds, NaN where it holds none."""
    try:
        return float(value)
    except (TypeError, ValueError):
        return float("nan")


def _is_blank(value: Any) -> bool:
    """None, NaN, pandas.NA or an empty text."""
    if value is None or (isinstance(value, float) and np.isnan(value)):
        return True
    return (isinstance(value, str) and not value.strip()) or type(value).__name__ in ("NAType", "NaTType")
