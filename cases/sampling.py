"""Draws the part of a dataset that people will label, with the probability each case had of being drawn.

Plain arrays in, plain arrays out: this module never learns what a score or a stratum means. Every probability is
exact (cases drawn from a stratum / cases in it), so that 1 / probability is a case's design weight.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

DESIGNS = ("simple", "stratified", "score-band", "all")
ALLOCATIONS = ("proportional", "equal")
DEFAULT_CUTS = (0.5, 0.7, 0.9)
UNSCORED = "unscored"

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


class SamplingError(ValueError):
    """A sample that cannot be drawn as asked."""


@dataclass(frozen=True, eq=False)
class Draw:
    """Which cases were drawn, in the order to label them, and how likely each was.

    ``indices``, ``probabilities`` and ``strata`` run in parallel. Order is random within each stratum, and the
    strata alternate, so that any first part is itself spread over them. ``gaps`` names the strata that
    hold cases of which none was drawn: nothing can be estimated there.
    """

    indices: Integers
    probabilities: Floats
    strata: tuple[str, ...]
    population: Mapping[str, int]
    drawn: Mapping[str, int]
    gaps: tuple[str, ...]
    seed: int


def draw(
    n: int,
    *,
    design: str | None = None,
    size: int | None = None,
    seed: int = 0,
    strata: Sequence[str] | None = None,
    scores: Sequence[float] | Floats | None = None,
    cuts: Sequence[float] = DEFAULT_CUTS,
    allocation: str | Mapping[str, int] | None = None,
) -> Draw:
    """Draw ``size`` of ``n`` cases without replacement.

    Parameters
    ----------
    n : int
        Cases in the dataset; they are named 0 to n - 1.
    design : "simple", "stratified", "score-band" or "all"
        Left out: by what is given, strata or scores, else simple.
    size : int, optional
        Cases to draw, at most n are; needed by every design but "all".
    seed : int
        The same arguments and seed give the same draw on every machine.
    strata : n names, for "stratified"
    scores : n floats, for "score-band"
        NaN is a stratum of its own, "unscored".
    cuts : floats, ascending, for "score-band"
        A case lies in the band whose lower cut it reaches: 0.5 is in [0.5, 0.7).
    allocation : "proportional", "equal", or cases to draw from each named stratum
        Default: proportional for "stratified", equal for "score-band". Both draw from every stratum when
        ``size`` allows; what a small stratum cannot give goes to the others.

    Raises
    ------
    SamplingError
        For an unknown design, arrays of another length, or a size below one.
    """
    design = design or ("stratified" if strata is not None else "score-band" if scores is not None else "simple")
    names = _names(n, design, strata, scores, cuts)
    members = _members(names)
    population = {name: len(cases) for name, cases in members.items()}
    wanted = _wanted(n, design, size, allocation, population)
    return _draw(members, population, wanted, seed)


def combined_probability(*waves: Sequence[float] | Floats) -> Floats:
    """Probability of being drawn in at least one of several independent waves: 1 - prod(1 - p).

    >>> combined_probability([0.5, 0.0], [0.5, 0.2]).tolist()
    [0.75, 0.2]
    """
    missed = np.prod([1.0 - np.asarray(wave, dtype=float) for wave in waves], axis=0)
    # Rounded: 1 - (1 - .2) is .19999999999999996, and a probability of .2 must come back as .2.
    return np.asarray(np.round(1.0 - missed, 15), dtype=np.float64)


def band_names(scores: Sequence[float] | Floats, cuts: Sequence[float] = DEFAULT_CUTS) -> list[str]:
    """The band each score lies in.

    >>> band_names([0.2, 0.5, 1.0, float("nan")], cuts=[0.5])
    ['below 0.5', '0.5 and above', '0.5 and above', 'unscored']
    """
    edges = [float(cut) for cut in cuts]
    if not edges or sorted(set(edges)) != edges or not all(map(math.isfinite, edges)):
        raise SamplingError(f"The cuts {list(cuts)} are not ascending numbers.")
    middle = [f"[{low:g}, {high:g})" for low, high in pairwise(edges)]
    labels = [f"below {edges[0]:g}", *middle, f"{edges[-1]:g} and above"]
    values = np.asarray(scores, dtype=float)
    return [
        UNSCORED if math.isnan(value) else labels[band]
        for value, band in zip(values, np.searchsorted(edges, values, side="right"), strict=True)
    ]


def _names(
    n: int, design: str, strata: Sequence[str] | None, scores: Sequence[float] | Floats | None, cuts: Sequence[float]
) -> Sequence[str]:
    makers: dict[str, Callable[[], Sequence[str]]] = {
        "simple": lambda: ["all"] * n,
        "all": lambda: ["all"] * n,
        "stratified": lambda: list(map(str, _given(strata, "strata", design))),
        "score-band": lambda: band_names(_given(scores, "scores", design), cuts),
    }
    if design not in makers:
        raise SamplingError(f"{design!r} is no design; the designs are {', '.join(DESIGNS)}.")
    names = makers[design]()
    if len(names) != n:
        raise SamplingError(f"{n} cases, but {len(names)} {'scores' if design == 'score-band' else 'strata'}.")
    return names


def _given(values: Any, name: str, design: str) -> Any:
    if values is None:
        raise SamplingError(f"A {design} sample needs {name}.")
    return values


def _members(names: Sequence[str]) -> dict[str, Integers]:
    """The cases of each stratum, strata in the order of their names."""
    found: dict[str, list[int]] = {}
    for case, name in enumerate(names):
        found.setdefault(name, []).append(case)
    return {name: np.array(found[name], dtype=np.int64) for name in sorted(found)}


def _wanted(
    n: int, design: str, size: int | None, allocation: str | Mapping[str, int] | None, population: Mapping[str, int]
) -> dict[str, int]:
    if design == "all":
        return dict(population)
    if isinstance(allocation, Mapping):
        return _as_asked(allocation, population)
    if size is None or size < 1:
        raise SamplingError(f"A sample needs a size of at least 1, not {size}.")
    kind = allocation or ("equal" if design == "score-band" else "proportional")
    if kind not in ALLOCATIONS:
        raise SamplingError(f"{kind!r} is no allocation; there are {' and '.join(ALLOCATIONS)}.")
    shares = {name: 1.0 if kind == "equal" else float(count) for name, count in population.items()}
    return allocate(min(size, n), population, shares)


def _as_asked(allocation: Mapping[str, int], population: Mapping[str, int]) -> dict[str, int]:
    if unknown := sorted(set(allocation) - set(population)):
        raise SamplingError(f"There is no stratum {unknown[0]!r}; there are {', '.join(population)}.")
    for name, count in allocation.items():
        if not 0 <= count <= population[name]:
            raise SamplingError(f"{count} cases cannot be drawn from the {population[name]} of {name!r}.")
    if not any(allocation.values()):
        raise SamplingError("The allocation draws no case.")
    return {name: allocation.get(name, 0) for name in population}


def allocate(size: int, population: Mapping[str, int], shares: Mapping[str, float]) -> dict[str, int]:
    """How many to draw from each stratum: one each while that is possible, the rest by shares.

    Each further case goes where the share is least served (Sainte-Lague's divisors), so the result depends on
    nothing random; a stratum that is used up leaves its share to the others.

    >>> allocate(10, {"a": 3, "b": 100}, {"a": 1.0, "b": 1.0})
    {'a': 3, 'b': 7}
    """
    wanted = dict.fromkeys(population, 0)
    for name in sorted(population, key=lambda name: (-population[name], name))[:size]:
        wanted[name] = 1
    queue = [(-shares[name] / (2 * count + 1), name) for name, count in wanted.items()]
    heapq.heapify(queue)
    for _ in range(size - sum(wanted.values())):
        while wanted[queue[0][1]] == population[queue[0][1]]:
            heapq.heappop(queue)
        name = queue[0][1]
        wanted[name] += 1
        heapq.heapreplace(queue, (-shares[name] / (2 * wanted[name] + 1), name))
    return wanted


def _draw(members: Mapping[str, Integers], population: Mapping[str, int], wanted: Mapping[str, int], seed: int) -> Draw:
    generator = np.random.Generator(np.random.SFC64(seed))
    parts: list[tuple[Floats, Integers, str]] = []
    for name, cases in members.items():
        # Only raw uniform doubles are used: numpy promises nothing about how its shuffles will stay.
        chosen = cases[np.argsort(generator.random(len(cases)), kind="stable")[: wanted[name]]]
        turns = (np.arange(len(chosen)) + generator.random(len(chosen))) / max(len(chosen), 1)
        parts.append((turns, chosen, name))
    order = np.argsort(np.concatenate([turns for turns, _, _ in parts] or [np.zeros(0)]), kind="stable")
    indices = np.concatenate([chosen for _, chosen, _ in parts] or [np.zeros(0, np.int64)])[order]
    names = [name for _, chosen, name in parts for _ in chosen]
    strata = tuple(names[at] for at in order)
    return Draw(
        indices=indices.astype(np.int64),
        probabilities=np.array([wanted[name] / population[name] for name in strata], dtype=np.float64),
        strata=strata,
        population=population,
        drawn=dict(wanted),
        gaps=tuple(name for name in population if wanted[name] == 0),
        seed=seed,
    )
