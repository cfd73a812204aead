"""In which order the cases of a round are given out. Plain Python."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Sequence


def random_within_strata(strata: Sequence[str], *, seed: int) -> list[int]:
    """Indices of the cases in random order, each stratum spread evenly over the whole.

    Stopping early leaves every stratum done in about the same share, and within a stratum a random part:
    so what is done can be calibrated on. The same seed gives the same order.

    >>> order = random_within_strata(["a"] * 4 + ["b"] * 2, seed=7)
    >>> [sum(index < 4 for index in order[:3]), sum(index < 4 for index in order[3:])]
    [2, 2]
    """
    generator = random.Random(seed)  # noqa: S311  an order, no secret
    members: defaultdict[str, list[int]] = defaultdict(list)
    for index, stratum in enumerate(strata):
        members[stratum].append(index)
    keyed: list[tuple[float, float, int]] = []
    for stratum in sorted(members):
        indices = members[stratum]
        generator.shuffle(indices)
        step = 1 / len(indices)
        keyed += [((rank + 0.5) * step, generator.random(), index) for rank, index in enumerate(indices)]
    return [index for _, _, index in sorted(keyed)]


def by_priority(priority: Sequence[float]) -> list[int]:
    """Indices with the highest priority first; equal ones stay in their order."""
    return sorted(range(len(priority)), key=lambda index: -priority[index])
