"""What the choice of a threshold costs on cases that it was not made on: repeated, nested, by groups.

The figure is about the procedure (take the cheapest threshold of these costs), not about one threshold: Varma and
Simon (2006), "Bias in error estimation when using cross-validation for model selection".
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from calibration.statistics import sentences as say
from calibration.statistics.costs import Costs, cost_of_every_threshold, decide
from calibration.statistics.curves import Curve, error_curve
from calibration.statistics.intervals import MIN_GROUPS, ratio, t_quantile, whole
from calibration.statistics.passing import Floats, quantise
from calibration.statistics.resampling import Codes, Design

REPEATS = 10
MAX_FOLDS = 10
MIN_FOLDS = 5


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over cases with its standard error over independent units; an interval from 30 units on.

    ``count`` of ``of`` is the same unweighted: a mean number of errors over repeats, where a rate is meant.
    """

    value: float | None
    se: float | None
    low: float | None
    high: float | None
    count: float
    of: float

    def to_dict(self) -> dict[str, Any]:
        return {"value": self.value, "se": self.se, "low": self.low, "high": self.high}


@dataclass(frozen=True, slots=True)
class Nested:
    """``reason`` says why nothing could be estimated; then every figure is None."""

    reason: str
    folds: int = 0
    repeats: int = 0
    units: int = 0
    cost: Estimate | None = None
    false_pass_rate: Estimate | None = None
    false_fail_rate: Estimate | None = None
    versus_pass_all: Estimate | None = None
    versus_pass_none: Estimate | None = None
    apparent: float | None = None

    @property
    def beats_both_ends(self) -> bool | None:
        """Whether it is cheaper than pass all and than pass none beyond doubt; None when not estimable."""
        ends = (self.versus_pass_all, self.versus_pass_none)
        if any(end is None or end.high is None for end in ends):
            return None
        return all(end is not None and end.high is not None and end.high < 0 for end in ends)

    def to_dict(self) -> dict[str, Any]:
        if self.cost is None or self.apparent is None or self.cost.value is None:
            return {"cost_per_case": None, "se": None, "reason": self.reason}
        return {
            "cost_per_case": self.cost.value,
            "se": self.cost.se,
            "false_pass_rate": _rate_dict(self.false_pass_rate),
            "false_fail_rate": _rate_dict(self.false_fail_rate),
            "apparent_cost_per_case": self.apparent,
            "optimism": self.cost.value - self.apparent,
            "versus_pass_all": self.versus_pass_all and self.versus_pass_all.to_dict(),
            "versus_pass_none": self.versus_pass_none and self.versus_pass_none.to_dict(),
            "folds": self.folds,
            "repeats": self.repeats,
            "units": self.units,
            "reason": "",
        }


def _rate_dict(estimate: Estimate | None) -> dict[str, Any] | None:
    if estimate is None or estimate.value is None:
        return None
    shown = {"value": estimate.value, "low": None, "high": None, "method": say.MEAN_OVER_REPEATS}
    return {**shown, "count": estimate.count, "of": whole(estimate.of), "se": estimate.se}


def nested(human_pass: Floats, score: Floats, design: Design, costs: Costs, *, repeats: int = REPEATS) -> Nested:
    """Cross-validate the choice of a threshold; groups stay whole, every fold holds a group with a fail."""
    holds_fail = np.bincount(design.units, (1 - human_pass), design.groups) > 0
    holders = int(holds_fail.sum())
    if (folds := min(MAX_FOLDS, holders)) < MIN_FOLDS:
        few = say.FEW_CASES_TO_FOLD if design.group is None else say.FEW_GROUPS_TO_FOLD
        return Nested(say.counted(few, holders))
    passed = _passed(human_pass, score, design, costs, _folds(holds_fail, folds, repeats, design.seed))
    return _estimates(human_pass, passed, design, costs, folds, repeats, _apparent(human_pass, score, design, costs))


def _folds(holds_fail: Any, folds: int, repeats: int, seed: int) -> Iterator[Codes]:
    """A fold for each unit, again for each repeat: dealt out in random order, those that hold a fail first."""
    rng = np.random.Generator(np.random.SFC64(seed))
    for _ in range(repeats):
        order = rng.permutation(len(holds_fail))
        dealt = order[np.argsort(~holds_fail[order], kind="stable")]
        fold = np.empty(len(order), dtype=np.int64)
        fold[dealt] = np.arange(len(order)) % folds
        yield fold


def _passed(human: Floats, score: Floats, design: Design, costs: Costs, folds: Iterator[Codes]) -> Floats:
    """Share of the repeats in which each case was passed by a threshold chosen without it."""
    steps = quantise(score)
    levels, place = np.unique(steps, return_inverse=True)
    share, rounds = np.zeros(design.n), 0
    for fold in folds:
        of_case = fold[design.units]
        thresholds = _chosen_without(levels, place, of_case, human, design.weights, costs)
        share += steps >= thresholds[of_case]
        rounds += 1
    return share / rounds


def _chosen_without(levels: Floats, place: Codes, fold: Codes, human: Floats, weights: Floats, costs: Costs) -> Floats:
    """For each fold the threshold, in steps, that all other folds choose."""
    count, cell = int(fold.max()) + 1, fold * len(levels) + place
    fails, passes, cases = (
        np.bincount(cell, mass, count * len(levels)).reshape(count, -1)
        for mass in (weights * (1 - human), weights * human, np.ones(len(human)))
    )
    chosen = np.empty(count)
    for each in range(count):
        seen = cases.sum(axis=0) - cases[each] > 0
        train = [(mass.sum(axis=0) - mass[each])[seen] for mass in (fails, passes)]
        chosen[each] = quantise(decide(Curve(levels[seen], train[0], train[1]), costs))
    return chosen


def _apparent(human: Floats, score: Floats, design: Design, costs: Costs) -> float:
    curve = error_curve(human, score, design.weights)
    return float(cost_of_every_threshold(curve, costs).min() / design.weights.sum())


def _estimates(
    human: Floats, passed: Floats, design: Design, costs: Costs, folds: int, repeats: int, apparent: float
) -> Nested:
    ones, fail_loss, pass_loss = np.ones(design.n), costs.false_pass * (1 - human), costs.false_fail * human
    loss = fail_loss * passed + pass_loss * (1 - passed)
    return Nested(
        reason="",
        folds=folds,
        repeats=repeats,
        units=design.groups,
        cost=_estimate(loss, ones, design),
        false_pass_rate=_estimate((1 - human) * passed, 1 - human, design),
        false_fail_rate=_estimate(human * (1 - passed), human, design),
        versus_pass_all=_estimate(loss - fail_loss, ones, design),
        versus_pass_none=_estimate(loss - pass_loss, ones, design),
        apparent=apparent,
    )


def _estimate(top: Floats, bottom: Floats, design: Design) -> Estimate | None:
    if not bottom.any():
        return None
    value, error, units = ratio(top * design.weights, bottom * design.weights, design.units)
    count, of = float(top.sum()), float(bottom.sum())
    if units < MIN_GROUPS:
        return Estimate(value, error if units > 1 else None, None, None, count, of)
    half = t_quantile(units - 1) * error
    return Estimate(value, error, value - half, value + half, count, of)
