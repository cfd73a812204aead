"""A distribution of scores as bars of a small picture. Plain numbers in, plain numbers out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

#: A score of at most this is a severe failure. Stated wherever it is used; thresholds are decided elsewhere.
SEVERE_CUT = 0.2

BINS = 50
SEVERE_BINS = 10
WIDTH, HEIGHT = 300.0, 28.0
FLOOR = 30.0  # the line that the bars stand on
LEAST_HEIGHT = 1.5  # one case among thousands is still seen


@dataclass(frozen=True, slots=True)
class Bar:
    x: str
    y: str
    width: str
    height: str
    is_severe: bool


@dataclass(frozen=True, slots=True)
class Strip:
    cases: int
    severe: int
    bars: tuple[Bar, ...]


def strip_of(counts: Mapping[float, int]) -> Strip:
    """Bars over [0, 1] in steps of .02. A score of exactly 1 is in the last, and one of the cut with the severe ones.

    >>> strip_of({0.0: 1, 1.0: 2}).bars[1].height
    '28.0'
    """
    bins: dict[int, int] = {}
    for value, cases in counts.items():
        last = SEVERE_BINS if value <= SEVERE_CUT else BINS
        place = min(int(value * BINS + 1e-9), last - 1)
        bins[place] = bins.get(place, 0) + cases
    highest = max(bins.values(), default=1)
    bars = tuple(_bar(place, n / highest) for place, n in sorted(bins.items()))
    return Strip(sum(counts.values()), severe(counts), bars)


def severe(counts: Mapping[float, int]) -> int:
    return sum(cases for value, cases in counts.items() if value <= SEVERE_CUT)


def _bar(place: int, share: float) -> Bar:
    step = WIDTH / BINS
    height = max(share * HEIGHT, LEAST_HEIGHT)
    x, y = place * step + 0.5, FLOOR - height
    return Bar(f"{x:.1f}", f"{y:.1f}", f"{step - 1:.1f}", f"{height:.1f}", is_severe=place < SEVERE_BINS)
