"""A calibration document read at one threshold and at some costs: what the page shows and its script shows again.

The stored curve is enough for counts, rates, costs and the cheapest ranges, so a frozen calibration can be looked at
from every side without its cases. Plain Python: no Django.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from calibration.chosen import threshold_in_force
from calibration.statistics.costs import Costs, Range, Recommendation, cost_of_every_threshold, recommend
from calibration.statistics.curves import Curve, Point
from calibration.statistics.intervals import MIN_GROUPS, wilson

#: Where the interval of a rate comes from: computed from two counts, asked of the server, or not to be had.
IntervalKind = Literal["wilson", "server", "none"]
Interval = tuple[float, float] | None
HALF = 0.5


@dataclass(frozen=True, slots=True)
class Reading:
    """``cases`` are counted one each; ``point`` carries the design weights."""

    threshold: float
    candidate: int
    cases: Point
    point: Point
    cost_total: float
    least: float
    choice: Recommendation
    curve: Curve
    intervals: Mapping[str, Interval]

    @property
    def cost_per_case(self) -> float | None:
        return self.cost_total / self.point.total if self.point.total else None

    @property
    def extra_cost_per_case(self) -> float | None:
        return (self.cost_total - self.least) / self.point.total if self.point.total else None

    @property
    def is_cheapest(self) -> bool:
        return any(each.candidate == self.candidate for each in self.choice.optimal)

    @property
    def cheapest(self) -> tuple[Range, ...]:
        return self.choice.optimal

    @property
    def bounds(self) -> tuple[float | None, float | None]:
        """The range (low, high] of thresholds that decide as this one does."""
        return self.curve.bounds(self.candidate)


def curve_of(document: Mapping[str, Any], *, weighted: bool = True) -> Curve:
    """The stored curve, by design weight or by number of cases."""
    import numpy as np

    from calibration.statistics.passing import quantise

    stored, kind = document["curve"], "weight" if weighted else "human"
    fails, passes = (np.asarray(stored[f"{kind}_{side}"], dtype=np.float64) for side in ("fail", "pass"))
    return Curve(quantise(stored["scores"]), fails, passes)


def interval_kind(document: Mapping[str, Any]) -> IntervalKind:
    """Wilson needs independent cases of equal weight with whole labels; groups below 30 have no interval at all."""
    if document.get("groups") is not None:
        return "none" if document["groups"] < MIN_GROUPS else "server"
    stored = document["curve"]
    is_weighted = any(stored[f"weight_{side}"] != stored[f"human_{side}"] for side in ("fail", "pass"))
    is_soft = any(not float(count).is_integer() for side in ("fail", "pass") for count in stored[f"human_{side}"])
    return "server" if is_weighted or is_soft else "wilson"


def threshold_shown(document: Mapping[str, Any]) -> float:
    """Where a page opens: the threshold chosen or recommended, else one half."""
    threshold = threshold_in_force(document)
    return HALF if threshold is None else float(threshold)


def costs_of(document: Mapping[str, Any]) -> Costs:
    return Costs(document["cost"]["false_pass"], document["cost"]["false_fail"])


def read(
    document: Mapping[str, Any], threshold: float, *, costs: Costs | None = None, rates: Mapping[str, Any] | None = None
) -> Reading:
    """The document at ``threshold``.

    ``costs`` are the document's own when omitted. ``rates`` (``false_pass_rate``, ``false_fail_rate``) come from
    the cases, for designs whose intervals two counts do not give.
    """
    curve, counts = curve_of(document), curve_of(document, weighted=False)
    paid = costs or costs_of(document)
    point, cases = curve.at(threshold), counts.at(threshold)
    every = cost_of_every_threshold(curve, paid)
    return Reading(
        threshold=threshold,
        candidate=curve.candidate(threshold),
        cases=cases,
        point=point,
        cost_total=paid.false_pass * point.false_pass + paid.false_fail * point.false_fail,
        least=float(every.min()),
        choice=recommend(curve, paid),
        curve=curve,
        intervals=_intervals(document, threshold, cases, rates),
    )


def _intervals(
    document: Mapping[str, Any], threshold: float, cases: Point, rates: Mapping[str, Any] | None
) -> dict[str, Interval]:
    """Intervals of both error rates and of their complements, which the headline speaks of."""
    kind = interval_kind(document)
    if kind == "wilson":
        fails, passes = cases.false_pass + cases.true_fail, cases.false_fail + cases.true_pass
        return {
            "false_pass": _wilson(cases.false_pass, fails),
            "caught": _wilson(cases.true_fail, fails),
            "false_fail": _wilson(cases.false_fail, passes),
            "kept": _wilson(cases.true_pass, passes),
        }
    found = rates or _stored_rates(document, threshold) if kind == "server" else {}
    false_pass, false_fail = (_ends(found.get(name)) for name in ("false_pass_rate", "false_fail_rate"))
    return {
        "false_pass": false_pass,
        "caught": _turned(false_pass),
        "false_fail": false_fail,
        "kept": _turned(false_fail),
    }


def _wilson(count: float, of: float) -> Interval:
    return wilson(count, of) if of > 0 else None


def _stored_rates(document: Mapping[str, Any], threshold: float) -> Mapping[str, Any]:
    """The rates that the document holds for this very threshold, if it is one of its own."""
    for at in (document.get("chosen"), document.get("at_recommended"), document.get("at_half")):
        if at and at["threshold"] == threshold:
            return at  # type: ignore[no-any-return]
    return {}


def _ends(rate: Mapping[str, Any] | None) -> Interval:
    if not rate or rate.get("low") is None or rate.get("high") is None:
        return None
    return rate["low"], rate["high"]


def _turned(ends: Interval) -> Interval:
    return None if ends is None else (1 - ends[1], 1 - ends[0])
