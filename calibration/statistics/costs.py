"""The cost of every threshold, every cheapest range of them, and the one to recommend, if any.

C(t) = cost of a false pass * false passes + cost of a false fail * false fails. Elkan (2001), "The foundations of
cost-sensitive learning", with the threshold found on the curve and not from a probability.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import Literal

import numpy as np

from calibration.statistics import sentences as say
from calibration.statistics.curves import Curve
from calibration.statistics.passing import PLACES, STEPS, Floats, unquantise

Code = Literal["recommended", "no_cases", "one_class", "one_value", "pass_all", "pass_none", "unusable_scores"]

REASONS: dict[str, str] = {
    "recommended": say.CHEAPEST,
    "no_cases": say.NO_CASES,
    "one_class": say.ONE_CLASS,
    "one_value": say.ONE_VALUE,
    "pass_all": say.PASS_ALL,
    "pass_none": say.PASS_NONE,
}


#: Beyond it sums over a million cases would no longer be exact to a hundredth.
HIGHEST_COST = 1e9


@dataclass(frozen=True, slots=True)
class Costs:
    """What one false pass and one false fail cost, in any one unit."""

    false_pass: float = 1.0
    false_fail: float = 1.0

    def __post_init__(self) -> None:
        for name in ("false_pass", "false_fail"):
            if not 0 <= (value := getattr(self, name)) <= HIGHEST_COST:
                raise ValueError(
                    f"the cost of a {name.replace('_', ' ')} is {value}: it must be from 0 to {HIGHEST_COST:g}"
                )
        if self.false_pass == self.false_fail == 0:
            raise ValueError("both costs are 0: then every threshold is as good as any other")


@dataclass(frozen=True, slots=True)
class Range:
    """Thresholds (low, high] that decide alike. low None is "pass all", high None is "pass none"."""

    candidate: int
    low: float | None
    high: float | None
    false_pass: float
    false_fail: float
    cost_total: float


@dataclass(frozen=True, slots=True)
class Recommendation:
    """``threshold`` is None when there is nothing to recommend; ``code`` and ``reason`` say why.

    ``cause`` is the reason in full where the curve alone does not know it.
    """

    threshold: float | None
    code: Code
    optimal: tuple[Range, ...]
    cause: str = ""

    @property
    def reason(self) -> str:
        return self.cause or REASONS[self.code]


def cost_of_every_threshold(curve: Curve, costs: Costs) -> Floats:
    """Total cost at each candidate of the curve, "pass all" first, "pass none" last."""
    return costs.false_pass * curve.false_pass + costs.false_fail * curve.false_fail


def optimal_candidates(curve: Curve, costs: Costs) -> list[int]:
    """Every candidate of the lowest cost, ascending. Sums that differ by float dust cost the same."""
    cost = cost_of_every_threshold(curve, costs)
    dust = 1e-12 * (costs.false_pass * curve.fails.sum() + costs.false_fail * curve.passes.sum())
    return [int(index) for index in np.flatnonzero(cost <= cost.min() * (1 + 1e-9) + dust)]


def optimal_ranges(curve: Curve, costs: Costs) -> tuple[Range, ...]:
    """Every cheapest range; neighbours of equal cost stay apart, because they err differently."""
    if not len(curve.levels):
        return ()
    false_pass, false_fail = curve.false_pass, curve.false_fail
    cost = cost_of_every_threshold(curve, costs)
    return tuple(
        Range(k, *curve.bounds(k), float(false_pass[k]), float(false_fail[k]), float(cost[k]))
        for k in optimal_candidates(curve, costs)
    )


def recommend(curve: Curve, costs: Costs) -> Recommendation:
    """The threshold to use, or in words why there is none."""
    optimal = optimal_ranges(curve, costs)
    if (code := _refusal(curve, optimal)) != "recommended":
        return Recommendation(None, code, optimal)
    return Recommendation(middle_of(curve, preferred(curve, [each.candidate for each in optimal])), code, optimal)


def _refusal(curve: Curve, optimal: tuple[Range, ...]) -> Code:
    if not optimal:
        return "no_cases"
    if not (curve.fails.any() and curve.passes.any()):
        return "one_class"
    if len(curve.levels) == 1:
        return "one_value"
    if optimal[-1].high is None:
        return "pass_none"
    return "pass_all" if optimal[0].low is None else "recommended"


def preferred(curve: Curve, candidates: list[int]) -> int:
    """Of inner candidates: the fewest false passes, then the widest, then the strictest."""
    false_pass = curve.false_pass
    widths = np.diff(curve.levels)
    dust = 1e-9 * float(curve.fails.sum())
    fewest = min(false_pass[k] for k in candidates) + dust
    return max((k for k in candidates if false_pass[k] <= fewest), key=lambda k: (widths[k - 1], k))


def middle_of(curve: Curve, candidate: int) -> float:
    """The middle of an inner candidate, with the fewest decimals that keep it strictly between the two scores.

    Where two scores are neighbours at nine places nothing lies between them, and the upper one is the threshold.

    >>> from calibration.statistics.curves import error_curve
    >>> middle_of(error_curve([0, 1], [0.6, 0.625]), 1)
    0.61
    """
    low, high = int(curve.levels[candidate - 1]), int(curve.levels[candidate])
    middle = Decimal(low + high) / 2 / STEPS
    for places in range(PLACES + 1):
        rounded = middle.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)
        if low < rounded * STEPS < high:
            return float(rounded)
    return unquantise(high)


def decide(curve: Curve, costs: Costs) -> float:
    """The threshold the whole procedure ends with: the recommended one, else that of pass all or pass none.

    -infinity passes all, infinity passes none.
    """
    inner = [k for k in optimal_candidates(curve, costs) if 0 < k < len(curve.levels)]
    cost = cost_of_every_threshold(curve, costs)
    ends = min(float(cost[0]), float(cost[-1]))
    if not inner or cost[inner[0]] >= ends - 1e-9 * ends:
        return math.inf if cost[-1] <= cost[0] else -math.inf
    return middle_of(curve, preferred(curve, inner))
