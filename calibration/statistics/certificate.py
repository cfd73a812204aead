"""A promise about the false-pass rate: at most alpha, with confidence 1 - delta.

Fixed sequence from the strictest threshold down, each tested by the exact binomial, stopped at the first that
fails; so it holds for the stopping threshold and everything stricter. Angelopoulos, Bates et al. (2021), "Learn then
test". It needs independent, unweighted, blind labels; elsewhere the binomial is not the law of the count.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from calibration.statistics import sentences as say
from calibration.statistics.passing import Floats, quantise, unquantise
from calibration.statistics.resampling import Design

#: A stricter promise would take millions of failed answers.
LEAST = 1e-6


@dataclass(frozen=True, slots=True)
class Certificate:
    """``certified_from`` is None when nothing can be promised, and ``missing`` says what it would take."""

    alpha: float
    delta: float
    certified_from: float | None
    holds: bool
    missing: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        shown = {"alpha": self.alpha, "delta": self.delta, "certified_from": self.certified_from}
        return {**shown, "holds": self.holds, "missing": list(self.missing)}


def fails_needed(alpha: float, delta: float, false_passes: int = 0) -> int:
    """The fewest failed answers with which ``false_passes`` of them passed still certify alpha at delta.

    >>> [fails_needed(0.05, 0.05, k) for k in range(6)]
    [59, 93, 124, 153, 181, 208]
    """
    n = max(false_passes + 1, math.floor(math.log(delta) / math.log1p(-alpha)))
    while _tail(false_passes, n, alpha) > delta:
        n += 1
    return n


def most_false_passes(fails: int, alpha: float, delta: float) -> int:
    """The largest number of false passes among ``fails`` that certifies alpha at delta; -1 for none."""
    most = -1
    while most + 1 < fails and _tail(most + 1, fails, alpha) <= delta:
        most += 1
    return most


def _tail(count: int, n: int, share: float) -> float:
    """P(at most ``count`` of ``n``)."""
    from scipy.special import bdtr

    return float(bdtr(count, n, share))


def certify(
    human_pass: Floats,
    score: Floats,
    design: Design,
    *,
    alpha: float,
    delta: float,
    are_blind: bool,
    recommended: float | None,
) -> Certificate:
    """Which thresholds keep the false-pass rate at ``alpha`` or less with confidence 1 - ``delta``."""
    if not (LEAST <= alpha < 1 and LEAST <= delta < 1):
        raise ValueError(f"alpha is {alpha:g} and delta {delta:g}: both must lie between 0 and 1, {LEAST:g} or above")
    failed = np.sort(quantise(score)[human_pass == 0])[::-1]
    missing = _what_is_missing(len(failed), design, alpha, delta, are_blind)
    if missing:
        return Certificate(alpha, delta, None, False, missing)
    # Above the (k + 1)-th largest score of a failed answer at most k of them pass; ties only make it safer.
    allowed = most_false_passes(len(failed), alpha, delta)
    if (first := unquantise(failed[allowed] + 1)) > 1:
        return Certificate(alpha, delta, None, False, (say.counted(say.FEWER_ONES, allowed),))
    return _against(recommended, Certificate(alpha, delta, first, False, ()))


def _against(recommended: float | None, found: Certificate) -> Certificate:
    first = found.certified_from
    if recommended is None or first is None:
        return Certificate(found.alpha, found.delta, first, False, (say.A_RECOMMENDATION,))
    if quantise(recommended) >= quantise(first):
        return Certificate(found.alpha, found.delta, first, True, ())
    text = say.tell(say.HIGHER_THRESHOLD, first=f"{first:.10g}", recommended=f"{recommended:.10g}")
    return Certificate(found.alpha, found.delta, first, False, (text,))


def _what_is_missing(fails: int, design: Design, alpha: float, delta: float, are_blind: bool) -> tuple[str, ...]:
    missing = []
    if (more := fails_needed(alpha, delta) - fails) > 0:
        missing.append(say.counted(say.MORE_FAILS, more))
    if not are_blind:
        missing.append(say.BLIND_LABELS)
    if design.group is not None:
        independent = say.INDEPENDENT[design.groups != 1]
        missing.append(say.tell(independent, count=design.n, groups=design.groups))
    if design.weight is not None:
        missing.append(say.UNWEIGHTED)
    if design.soft:
        missing.append(say.WHOLE_LABELS)
    return tuple(missing)
