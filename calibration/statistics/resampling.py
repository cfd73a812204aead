"""How the cases were drawn, and what drawing them again would give: the bootstrap of every figure.

Equal rows are drawn together: the number of times that ``c`` equal cases come up is one binomial draw
instead of ``c`` draws, so the cost follows the distinct rows and not the cases.
"""

from __future__ import annotations

from dataclasses import dataclass

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
        mass = base * self.weights
        if self.group is not None:
            mass = np.bincount(self.group, mass, self.groups)
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
    rng = np.random.Generator(np.random.SFC64(design.seed))
    weighted = amounts * design.weights[:, None]
    if design.group is not None:
        totals = np.zeros((design.groups, amounts.shape[1]))
        np.add.at(totals, design.group, weighted)
        return _drawn(rng, totals, np.ones(design.groups), count)
    sums = np.zeros((count, amounts.shape[1]))
    strata = np.zeros(design.n, dtype=np.int64) if design.stratum is None else design.stratum
    for code in np.unique(strata):
        rows, times = np.unique(weighted[strata == code], axis=0, return_counts=True)
        sums += _drawn(rng, rows, times.astype(np.float64), count)
    return sums


def _drawn(rng: np.random.Generator, rows: Floats, times: Floats, count: int) -> Floats:
    """``count`` samples of sum(times) cases from ``rows``, each row ``times`` as likely, summed."""
    n, step = int(times.sum()), max(1, CHUNK // len(rows))
    shares = times / times.sum()
    sizes = [min(step, count - start) for start in range(0, count, step)]
    return np.vstack([rng.multinomial(n, shares, size) @ rows for size in sizes])
