"""The calibration document: the same input gives the same bytes."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from calibration.statistics import sentences as say
from calibration.statistics.costs import Costs, Range, Recommendation
from calibration.statistics.curves import Curve, band_half_width
from calibration.statistics.intervals import CONFIDENCE, Rate, rate, whole
from calibration.statistics.passing import Floats, passes, quantise, unquantise
from calibration.statistics.resampling import Design
from calibration.statistics.usable import Usable


def error_rates(human: Floats, judge: Floats, design: Design) -> dict[str, Rate]:
    """False passes among the human fails and false fails among the human passes, for one set of verdicts."""
    return {
        "false_pass_rate": rate((1 - human) * judge, 1 - human, design, absent=say.PEOPLE_FAILED_NONE),
        "false_fail_rate": rate(human * (1 - judge), human, design, absent=say.PEOPLE_PASSED_NONE),
    }


def headline(cases: Usable, threshold: float) -> dict[str, Any]:
    """Human fails caught and human passes kept at ``threshold``."""
    judge, human = passes(cases.score, threshold).astype(np.float64), cases.human
    caught = rate((1 - human) * (1 - judge), 1 - human, cases.design, absent=say.PEOPLE_FAILED_NONE)
    kept = rate(human * judge, human, cases.design, absent=say.PEOPLE_PASSED_NONE)
    return {"fails_caught": caught.to_dict(), "passes_kept": kept.to_dict()}


def at_threshold(cases: Usable, curve: Curve, costs: Costs, threshold: float) -> dict[str, Any]:
    """Rates, weighted counts and cost at one threshold."""
    point = curve.at(threshold)
    judge = passes(cases.score, threshold).astype(np.float64)
    rates = {name: each.to_dict() for name, each in error_rates(cases.human, judge, cases.design).items()}
    cost = costs.false_pass * point.false_pass + costs.false_fail * point.false_fail
    names = ("true_pass", "false_pass", "false_fail", "true_fail")
    return {
        "threshold": threshold,
        **rates,
        "counts": {name: whole(getattr(point, name)) for name in names},
        "cost_per_case": cost / point.total if point.total else None,
        "cost_total": cost,
    }


def optimal_intervals(cases: Usable, choice: Recommendation) -> list[dict[str, Any]]:
    """Every cheapest range with its rates."""
    total = float(cases.design.weights.sum())
    return [_optimal(cases, each, total) for each in choice.optimal]


def _optimal(cases: Usable, each: Range, total: float) -> dict[str, Any]:
    judge = np.zeros(cases.n) if each.high is None else passes(cases.score, each.high).astype(np.float64)
    rates = {name: found.to_dict() for name, found in error_rates(cases.human, judge, cases.design).items()}
    return {
        "low": each.low,
        "high": each.high,
        "cost_per_case": each.cost_total / total,
        "cost_total": each.cost_total,
        **rates,
    }


def curve_data(cases: Usable, curve: Curve) -> dict[str, Any]:
    """What a page draws and a browser counts from: at each distinct score the cases, and their weight."""
    place = np.searchsorted(curve.levels, quantise(cases.score))
    count = len(curve.levels)
    fails, humans = (np.bincount(place, part, count).tolist() for part in (1 - cases.human, cases.human))
    return {
        "scores": [unquantise(level) for level in curve.levels],
        "human_fail": [whole(number) for number in fails],
        "human_pass": [whole(number) for number in humans],
        "weight_fail": [whole(number) for number in curve.fails.tolist()],
        "weight_pass": [whole(number) for number in curve.passes.tolist()],
        "bands": _bands(cases),
    }


def _bands(cases: Usable) -> dict[str, Any]:
    """Half widths of the simultaneous bands; the law behind them needs independent cases of equal weight."""
    fails, humans = (int(side.sum()) for side in (cases.human == 0, cases.human == 1))
    if not cases.design.is_plain:
        return {"confidence": CONFIDENCE, "false_pass": None, "false_fail": None, "method": say.NO_BANDS}
    return {
        "confidence": CONFIDENCE,
        "false_pass": band_half_width(fails),
        "false_fail": band_half_width(humans),
        "method": say.BANDS,
    }


def to_text(document: dict[str, Any]) -> str:
    """JSON of 12 significant digits in the order of the keys. NaN and infinity are refused, not written."""
    return json.dumps(tidy(document), ensure_ascii=False, allow_nan=False)


def tidy(value: Any) -> Any:
    """The value in plain Python types, numbers at 12 significant digits."""
    if isinstance(value, dict):
        return {str(key): tidy(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [tidy(item) for item in value]
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, int | np.integer):
        return int(value)
    return float(f"{value:.12g}") if isinstance(value, float | np.floating) else value
