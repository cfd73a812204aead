"""The one rule of comparing a score with a threshold. The gate and the page's script follow it too."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

PLACES = 9
STEPS = 10**PLACES


def quantise(score: ArrayLike) -> Floats:
    """Score in whole steps of 1e-9: ``floor(score * 1e9 + 0.5)``. Whole numbers, kept as floats.

    >>> quantise((0.7 + 0.7 + 0.7) / 3) == quantise(0.7)
    np.True_
    """
    return np.asarray(np.floor(np.asarray(score, dtype=np.float64) * STEPS + 0.5))


def unquantise(steps: float) -> float:
    """The number of nine places that ``steps`` stands for; ``quantise`` gives the steps back."""
    number: float = float(steps) / STEPS
    return number


def passes(score: ArrayLike, threshold: float) -> NDArray[np.bool_]:
    """Whether the judge passes: ``score >= threshold``, both quantised, so equal to nine places passes.

    Raises ValueError for a NaN score: an unscored case is neither a pass nor a fail.
    """
    scores = quantise(score)
    if np.isnan(scores).any() or np.isnan(threshold):
        raise ValueError("a score or the threshold is NaN: leave unscored cases out first")
    decided: Any = scores >= quantise(threshold)
    return np.asarray(decided, dtype=np.bool_)
