"""How far the cheapest threshold would move with other cases, and which thresholds are as good as it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from calibration.statistics import sentences as say
from calibration.statistics.costs import Costs, cost_of_every_threshold
from calibration.statistics.curves import Curve
from calibration.statistics.intervals import MIN_EFFECTIVE, MIN_GROUPS, too_few_effective
from calibration.statistics.passing import Floats, quantise
from calibration.statistics.resampling import Codes, Design, draw

BINS = 512
REPLICATES = 1000

Span = tuple[float | None, float | None]


@dataclass(frozen=True, slots=True)
class Stability:
    """``as_good_as``: ranges within one standard error of the optimum's cost; ``optimum``: the 5-95 % range of it."""

    as_good_as: tuple[Span, ...] = ()
    optimum: Span = (None, None)
    reason: str = ""

    def to_dict(self) -> dict[str, Any]:
        good = [{"low": low, "high": high} for low, high in self.as_good_as]
        span = None if self.reason else {"low": self.optimum[0], "high": self.optimum[1]}
        return {
            "as_good_as": None if self.reason else good,
            "optimum_range": span,
            "replicates": REPLICATES,
            "reason": self.reason,
        }


def stability(human_pass: Floats, score: Floats, design: Design, curve: Curve, costs: Costs, best: int) -> Stability:
    """Bootstrap the cost curve; ``best`` is the recommended candidate. Above 512 scores ranges end at bin edges."""
    if design.group is not None and design.groups < MIN_GROUPS:
        return Stability(reason=say.counted(say.TOO_FEW, design.groups))
    if (effective := design.effective_n(np.ones(design.n))) < MIN_EFFECTIVE:
        return Stability(reason=too_few_effective(effective))
    starts = _bin_starts(curve, best)
    cost = _replicate_costs(human_pass, score, design, curve, costs, starts)
    candidates = np.append(starts, len(curve.levels))
    at_best = int(np.searchsorted(candidates, best))
    return Stability(
        as_good_as=_as_good_as(
            cost, cost_of_every_threshold(curve, costs)[candidates], at_best, candidates, curve, design
        ),
        optimum=_optimum_range(cost, candidates, curve),
    )


def _bin_starts(curve: Curve, best: int) -> Codes:
    """The level at which each bin starts: every level where they are few, else about equal numbers of them."""
    count = len(curve.levels)
    if count <= BINS:
        return np.arange(count)
    even = np.linspace(0, count, BINS, endpoint=False).astype(np.int64)
    return np.unique(np.append(even, [best - 1, best]))


def _replicate_costs(human: Floats, score: Floats, design: Design, curve: Curve, costs: Costs, starts: Codes) -> Floats:
    """Cost per case at every bin edge and at "pass none", one row per replicate."""
    from scipy.sparse import csr_array

    level = np.searchsorted(curve.levels, quantise(score))
    place = np.searchsorted(starts, level, side="right") - 1
    cell, bins = _cells(human, design, place), len(starts)
    mass = [design.weights * (1 - human), design.weights * human]
    rows = np.tile(cell if design.group is None else design.group, 2)
    shape = (int(rows.max()) + 1, 2 * bins)
    sums = csr_array((np.concatenate(mass), (rows, np.concatenate([place, place + bins]))), shape=shape)
    times = np.bincount(cell).astype(np.float64) if design.group is None else np.ones(design.groups)
    strata = _strata_of_rows(design, rows[: design.n], len(times))
    drawn = draw(sums * (1 / times)[:, None], times, strata, design.seed, REPLICATES)
    fails, passes = drawn[:, :bins], drawn[:, bins:]
    nothing = np.zeros((len(drawn), 1))
    false_pass = np.hstack([np.cumsum(fails[:, ::-1], axis=1)[:, ::-1], nothing])
    false_fail = np.hstack([nothing, np.cumsum(passes, axis=1)])
    total = np.maximum(drawn.sum(axis=1, keepdims=True), np.finfo(float).tiny)
    return np.asarray((costs.false_pass * false_pass + costs.false_fail * false_fail) / total)


def _cells(human: Floats, design: Design, place: Codes) -> Codes:
    """Cases that no draw can tell apart share a cell: same stratum, bin, label and weight."""
    strata = np.zeros(design.n, dtype=np.int64) if design.stratum is None else design.stratum
    code = strata
    for values in (place, human, design.weights):
        names, codes = np.unique(values, return_inverse=True)
        code = code * len(names) + codes
    return np.unique(code, return_inverse=True)[1].astype(np.int64)


def _strata_of_rows(design: Design, rows: Codes, count: int) -> Codes:
    strata = np.zeros(count, dtype=np.int64)
    if design.group is None and design.stratum is not None:
        strata[rows] = design.stratum
    return strata


def _optimum_range(cost: Floats, candidates: Codes, curve: Curve) -> Span:
    # The strictest of equals: it has the fewest false passes.
    best = cost.shape[1] - 1 - np.argmin(cost[:, ::-1], axis=1)
    low, high = np.percentile(best, [5, 95], method="inverted_cdf").astype(int)
    return _span(int(low), int(high), candidates, curve)


def _as_good_as(
    cost: Floats, point: Floats, best: int, candidates: Codes, curve: Curve, design: Design
) -> tuple[Span, ...]:
    error = (cost - cost[:, [best]]).std(axis=0, ddof=1)
    apart = (point - point[best]) / float(design.weights.sum())
    good = np.flatnonzero(apart <= error + 1e-12)
    runs = np.split(good, np.flatnonzero(np.diff(good) > 1) + 1)
    return tuple(_span(int(run[0]), int(run[-1]), candidates, curve) for run in runs if len(run))


def _span(first: int, last: int, candidates: Codes, curve: Curve) -> Span:
    return curve.bounds(int(candidates[first]))[0], curve.bounds(int(candidates[last]))[1]
