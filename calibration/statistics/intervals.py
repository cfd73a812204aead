"""A rate, and the interval that its sample allows; none where no method is in its domain.

Independent cases: Wilson (1927). Repeating groups: t over groups on the linearised ratio (Cochran 1977,
section 6.3), from 30 groups on. Weights: bootstrap. Soft labels: bootstrap only. Clopper-Pearson (1934) belongs to
certificates.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from calibration.statistics import sentences as say
from calibration.statistics.passing import Floats
from calibration.statistics.resampling import Codes, Design, replicates

CONFIDENCE = 0.95
MIN_GROUPS = 30
#: Below this many effective cases a bootstrap has too few values to draw from.
MIN_EFFECTIVE = 10.0


@dataclass(frozen=True, slots=True)
class Rate:
    """A share with its counts: ``count`` of ``of`` cases, unweighted. ``value`` is None when ``of`` is 0."""

    value: float | None
    low: float | None
    high: float | None
    method: str
    count: float
    of: float

    def to_dict(self) -> dict[str, Any]:
        shown = {name: getattr(self, name) for name in ("value", "low", "high", "method")}
        return {**shown, "count": whole(self.count), "of": whole(self.of)}


def whole(count: float) -> float:
    """A count as the whole number that it is; fractions, of soft labels or weights, stay."""
    return int(count) if float(count).is_integer() else count


def wilson(count: float, n: float, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Wilson's score interval for ``count`` of ``n``; ``n`` may be an effective, fractional size.

    >>> [round(end, 4) for end in wilson(0, 4)]
    [0.0, 0.4899]
    """
    _check_count(count, n)
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    share, scale = count / n, 1 + z * z / n
    middle = (share + z * z / (2 * n)) / scale
    half = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / scale
    return (0.0 if count == 0 else max(0.0, middle - half)), (1.0 if count == n else min(1.0, middle + half))


def clopper_pearson(count: int, n: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """The exact two-sided binomial interval."""
    from scipy.special import betaincinv

    _check_count(count, n)
    tail = (1 - confidence) / 2
    low = 0.0 if count == 0 else float(betaincinv(count, n - count + 1, tail))
    high = 1.0 if count == n else float(betaincinv(count + 1, n - count, 1 - tail))
    return low, high


def _check_count(count: float, n: float) -> None:
    if not 0 <= count <= n or n <= 0:
        raise ValueError(f"{count} of {n} is no share")


def rate(
    hit: ArrayLike,
    base: ArrayLike,
    design: Design,
    *,
    confidence: float = CONFIDENCE,
    absent: str = say.NO_SUCH_CASE,
) -> Rate:
    """Weighted share of ``base`` that is ``hit``, each an amount from 0 to 1 per case, hit <= base.

    ``absent`` ends the sentence "not defined: ..." where the base is empty.
    """
    hits, bases = np.asarray(hit, dtype=np.float64), np.asarray(base, dtype=np.float64)
    top, bottom = float(hits @ design.weights), float(bases @ design.weights)
    count, of = float(hits.sum()), float(bases.sum())
    if bottom <= 0:
        return Rate(None, None, None, say.tell(say.NOT_DEFINED, reason=absent), count, of)
    low, high, method = _interval(hits, bases, design, confidence)
    return Rate(min(1.0, top / bottom), low, high, method, count, of)


Interval = tuple[float | None, float | None, str]


def _interval(hits: Floats, bases: Floats, design: Design, confidence: float) -> Interval:
    percent = f"{100 * confidence:g} %"
    if design.group is not None:
        if (groups := _groups_with(bases, design)) < MIN_GROUPS:
            return None, None, say.counted(say.TOO_FEW, groups)
        if not design.soft and not _is_degenerate(hits, bases):
            method = say.tell(say.T_OVER_GROUPS, count=groups, confidence=percent)
            return *_t_interval(hits, bases, design, confidence), method
    if design.weight is None and not design.soft and design.group is None:
        return *wilson(float(hits.sum()), float(bases.sum()), confidence), say.tell(say.WILSON, confidence=percent)
    return _bootstrap_interval(hits, bases, design, confidence)


def _groups_with(bases: Floats, design: Design) -> int:
    """Groups that hold a case of the base; all of them when even those are too few."""
    if design.groups < MIN_GROUPS or design.group is None:
        return design.groups
    return len(np.unique(design.group[bases > 0]))


def _is_degenerate(hits: Floats, bases: Floats) -> bool:
    return not hits.any() or bool((hits == bases).all())


def _bootstrap_interval(hits: Floats, bases: Floats, design: Design, confidence: float) -> Interval:
    if (effective := design.effective_n(bases)) < MIN_EFFECTIVE:
        return None, None, too_few_effective(effective)
    sums = replicates(np.column_stack([hits, bases]), design)
    if _is_degenerate(hits, bases) or (sums[:, 1] <= 0).any():
        return _at_the_edge(hits, bases, design, confidence)
    tail = 50 * (1 - confidence)
    low, high = np.percentile(sums[:, 0] / sums[:, 1], [tail, 100 - tail])
    return float(max(0.0, low)), float(min(1.0, high)), _resampled(_bootstrap_name(design), effective, confidence)


def _at_the_edge(hits: Floats, bases: Floats, design: Design, confidence: float) -> Interval:
    """Every replicate says 0 or 1 (or nothing): Wilson on the effective n, unless labels are soft."""
    if design.soft:
        return None, None, say.SOFT_AT_THE_EDGE
    effective = design.effective_n(bases)
    share = float(hits @ design.weights) / float(bases @ design.weights)
    method = _resampled(say.WILSON_EFFECTIVE, effective, confidence)
    return *wilson(min(share, 1.0) * effective, effective, confidence), method


def _bootstrap_name(design: Design) -> str:
    kind = "cluster" if design.group is not None else "case" if design.stratum is None else "stratified"
    return say.BOOTSTRAPS[kind, design.soft]


def _resampled(method: str, effective: float, confidence: float) -> str:
    return say.tell(say.RESAMPLED, method=method, confidence=f"{100 * confidence:g} %", effective=f"{effective:.1f}")


def too_few_effective(effective: float) -> str:
    return say.tell(say.TOO_FEW_EFFECTIVE, effective=f"{effective:.1f}")


def _t_interval(hits: Floats, bases: Floats, design: Design, confidence: float) -> tuple[float, float]:
    weights = design.weights
    share, error, units = ratio(hits * weights, bases * weights, design.units)
    half = t_quantile(units - 1, confidence) * error
    return max(0.0, share - half), min(1.0, share + half)


def t_quantile(freedom: int, confidence: float = CONFIDENCE) -> float:
    """The two-sided quantile of Student's t."""
    from scipy.special import stdtrit

    return float(stdtrit(freedom, 0.5 + confidence / 2))


def ratio(top: Floats, bottom: Floats, unit: Codes) -> tuple[float, float, int]:
    """sum(top) / sum(bottom), its linearised standard error over units, and the number of units that count."""
    tops, bottoms = np.bincount(unit, top), np.bincount(unit, bottom)
    tops, bottoms = tops[bottoms > 0], bottoms[bottoms > 0]
    value, units = float(tops.sum() / bottoms.sum()), len(bottoms)
    if units < 2:
        return value, math.inf, units
    residuals = tops - value * bottoms
    error = math.sqrt(units / (units - 1) * float((residuals**2).sum())) / float(bottoms.sum())
    return value, error, units
