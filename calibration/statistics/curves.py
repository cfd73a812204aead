"""What every threshold does: counts of false passes and false fails from one sort.

Thresholds between two neighbouring scores all decide the same. So a curve has one candidate per distinct score,
the range that ends at it, and one more above the highest score, where nobody passes. Counts are taken at the ends
of tied scores only: inside a tie no threshold can be.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from calibration.statistics.passing import Floats, quantise, unquantise


@dataclass(frozen=True, slots=True)
class Point:
    """Weighted counts at one threshold. A rate over no case is None."""

    true_pass: float
    false_pass: float
    false_fail: float
    true_fail: float

    @property
    def total(self) -> float:
        return self.true_pass + self.false_pass + self.false_fail + self.true_fail

    @property
    def false_pass_rate(self) -> float | None:
        """Share of the cases humans fail that the judge passes."""
        return _share(self.false_pass, self.false_pass + self.true_fail)

    @property
    def false_fail_rate(self) -> float | None:
        """Share of the cases humans pass that the judge fails."""
        return _share(self.false_fail, self.false_fail + self.true_pass)

    @property
    def false_pass_share(self) -> float | None:
        """False passes as a share of all cases."""
        return _share(self.false_pass, self.total)

    @property
    def false_fail_share(self) -> float | None:
        """False fails as a share of all cases."""
        return _share(self.false_fail, self.total)

    @property
    def false_among_passed(self) -> float | None:
        """False passes as a share of what the judge passes; None where it passes nothing."""
        return _share(self.false_pass, self.false_pass + self.true_pass)


@dataclass(frozen=True, slots=True)
class Curve:
    """``levels``: the distinct scores in steps of 1e-9, ascending; ``fails`` and ``passes``: weight at each.

    Candidate k is the range (levels[k-1], levels[k]]: 0 is "pass all", len(levels) is "pass none".
    """

    levels: Floats
    fails: Floats
    passes: Floats

    @property
    def false_pass(self) -> Floats:
        """Weight of human fails passed, at each of the len(levels) + 1 candidates."""
        return np.append(np.cumsum(self.fails[::-1])[::-1], 0.0)

    @property
    def false_fail(self) -> Floats:
        """Weight of human passes failed, at each candidate."""
        return np.append(0.0, np.cumsum(self.passes))

    def candidate(self, threshold: float) -> int:
        """The index of the range that holds ``threshold``; infinity is "pass none"."""
        return int(np.searchsorted(self.levels, quantise(threshold), side="left"))

    def at(self, threshold: float) -> Point:
        """Counts at any threshold, a score or not."""
        cut = self.candidate(threshold)
        return Point(
            true_pass=float(self.passes[cut:].sum()),
            false_pass=float(self.fails[cut:].sum()),
            false_fail=float(self.passes[:cut].sum()),
            true_fail=float(self.fails[:cut].sum()),
        )

    def bounds(self, candidate: int) -> tuple[float | None, float | None]:
        """(low, high] of a candidate at nine places: low None is "pass all", high None "pass none"."""
        low = unquantise(self.levels[candidate - 1]) if candidate > 0 else None
        high = unquantise(self.levels[candidate]) if candidate < len(self.levels) else None
        return low, high


def error_curve(human_pass: ArrayLike, score: ArrayLike, weight: ArrayLike | None = None) -> Curve:
    """The curve of scored cases with a human verdict.

    Parameters
    ----------
    human_pass : array of bool or of float in [0, 1], shape (n,)
        A fraction is a soft label: it counts in part as a pass, in part as a fail.
    score : float array, shape (n,)
    weight : float array, shape (n,), optional
        Design weights. Equal when omitted.

    Raises
    ------
    ValueError
        If lengths differ, or a verdict or score is NaN: undecided and unscored cases have no place on a curve.

    >>> error_curve([False, True, True, False], [0.2, 0.4, 0.8, 0.9]).at(0.5).false_pass_rate
    0.5
    """
    human, steps = np.asarray(human_pass, dtype=np.float64), quantise(score)
    weights = np.ones(len(steps)) if weight is None else np.asarray(weight, dtype=np.float64)
    if not len(human) == len(steps) == len(weights):
        raise ValueError(f"{len(human)} verdicts, {len(steps)} scores, {len(weights)} weights")
    if np.isnan(human).any() or np.isnan(steps).any():
        raise ValueError("a verdict or a score is NaN: leave undecided and unscored cases out first")
    levels, place = np.unique(steps, return_inverse=True)
    fails, passes = (np.bincount(place, weights * part, len(levels)) for part in (1 - human, human))
    return Curve(levels, fails.astype(np.float64), passes.astype(np.float64))


def band_half_width(n: int, confidence: float = 0.95) -> float | None:
    """Half width of the simultaneous band around a rate curve over ``n`` independent cases; None for none.

    The exact two-sided Kolmogorov-Smirnov quantile: .1340 at n = 100.
    """
    from scipy.stats import kstwo

    return float(kstwo.ppf(confidence, n)) if n > 0 else None


def _share(part: float, whole: float) -> float | None:
    return part / whole if whole > 0 else None
