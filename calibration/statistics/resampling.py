"""How the cases were drawn, and what drawing them again would give: the bootstrap of every figure.

Equal rows are drawn together: the number of times that ``c`` equal cases come up is one binomial draw
instead of ``c`` draws, so the cost follows the distinct rows and not the cases.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from calibration.statistics.passing import Floats

Codes = NDArray[np.int64]

#: Draws held at once: 8 bytes each.
CHUNK = 2_000_000
REPLICATES = 2000


@dataclass(frozen=True, slots=True)
class Design:
    """What decides which interval is honest for a set of cases.

    ``weight`` is None when all weigh the same, ``group`` when no group repeats, ``stratum`` when there is one.
    """

    n: int
    weight: Floats | None = None
    group: Codes | None = None
    stratum: Codes | None = None
    soft: bool = False
    seed: int = 0

    @property
    def weights(self) -> Floats:
        return np.ones(self.n) if self.weight is None else self.weight

    @property
    def groups(self) -> int:
        """Independent units: groups where they repeat, else cases."""
        return self.n if self.group is None else int(self.group.max(initial=-1)) + 1

    @property
    def units(self) -> Codes:
        return np.arange(self.n) if self.group is None else self.group

    @property
    def is_plain(self) -> bool:
        """Independent cases of equal weight and whole labels: where binomial formulas hold."""
        return self.weight is None and self.group is None and not self.soft

    def effective_n(self, base: Floats) -> float:
        """Kish's effective sample size of the cases in ``base``; by group totals where groups repeat."""
        mass: Floats = base * self.weights
        if self.group is not None:
            mass = np.bincount(self.group, mass, self.groups).astype(np.float64)
        squares = float((mass**2).sum())
        return float(mass.sum()) ** 2 / squares if squares else 0.0


def design_of(
    n: int,
    *,
    weight: ArrayLike | None = None,
    group: ArrayLike | None = None,
    stratum: ArrayLike | None = None,
    soft: bool = False,
    seed: int = 0,
) -> Design:
    """The design of ``n`` cases. Equal weights are no weights, groups that never repeat no groups."""
    weights = None if weight is None else np.asarray(weight, dtype=np.float64)
    if weights is not None and (n == 0 or np.ptp(weights) <= 1e-12 * float(weights.max())):
        weights = None
    groups, strata = _codes(group), _codes(stratum)
    return Design(
        n,
        weights,
        None if groups is None or groups.max(initial=-1) + 1 == n else groups,
        None if strata is None or not strata.any() else strata,
        soft,
        seed,
    )


def _codes(labels: ArrayLike | None) -> Codes | None:
    return None if labels is None else np.unique(np.asarray(labels), return_inverse=True)[1].astype(np.int64)


def replicates(amounts: Floats, design: Design, *, count: int = REPLICATES) -> Floats:
    """Column sums of ``amounts`` (n, k), weighted, over ``count`` samples drawn again: (count, k).

    Groups are drawn whole; cases within their stratum, where there are strata; the seed is the design's.
    """
    weighted = amounts * design.weights[:, None]
    if design.group is not None:
        totals = np.zeros((design.groups, amounts.shape[1]))
        np.add.at(totals, design.group, weighted)
        return draw(totals, np.ones(design.groups), np.zeros(design.groups, dtype=np.int64), design.seed, count)
    strata = np.zeros(design.n) if design.stratum is None else design.stratum
    rows, times = np.unique(np.column_stack([strata, weighted]), axis=0, return_counts=True)
    return draw(rows[:, 1:], times.astype(np.float64), rows[:, 0].astype(np.int64), design.seed, count)


def draw(rows: Any, times: Floats, strata: Codes, seed: int, count: int) -> Floats:
    """Sums of ``rows`` (r, k), dense or sparse, over ``count`` samples; row i stands for ``times[i]`` cases.

    Each stratum is drawn on its own and keeps its number of cases.
    """
    rng = np.random.Generator(np.random.SFC64(seed))
    sums = np.zeros((count, rows.shape[1]))
    for code in np.unique(strata):
        members = np.flatnonzero(strata == code)
        mine, likely = rows[members], times[members] / times[members].sum()
        step, n = max(1, CHUNK // len(members)), int(times[members].sum())
        for start in range(0, count, step):
            size = min(step, count - start)
            sums[start : start + size] += rng.multinomial(n, likely, size) @ mine
    return sums
