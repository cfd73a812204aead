"""The calibration chart as data: where every mark of the drawing lies. A template writes it down as SVG.

One score axis for all panels: the answers (failed by people above their line, passed below), the mistakes, the cost,
and the rows of cheapest thresholds. Coordinates are text already, so that no language puts a comma into them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from calibration.plots.layout import Frame, text
from calibration.statistics.costs import Costs, cost_of_every_threshold
from calibration.statistics.curves import Curve
from calibration.statistics.passing import STEPS, Floats

#: More circles than this are slow to draw and say no more.
MOST_MARKS = 600

Side = Literal["fail", "pass"]
Numbers = Sequence[float]


@dataclass(frozen=True, slots=True)
class Mark:
    """One answer on the strip, or ``each`` of them: solid where the judge is wrong, hollow where it is right."""

    side: Side
    steps: int
    x: str
    y: str
    is_right: bool


@dataclass(frozen=True, slots=True)
class Span:
    """A range of thresholds on the score axis."""

    x: str
    width: str


@dataclass(frozen=True, slots=True)
class Tick:
    at: str
    label_at: str
    share: float
    value: float


@dataclass(frozen=True, slots=True)
class Chart:
    """Everything one drawing shows. ``cost_unit`` is the cost at its uppermost line."""

    frame: Frame
    marks: tuple[Mark, ...]
    each: int
    lines: dict[str, str]
    bands: dict[str, str]
    cost_line: str
    cost_unit: float
    cost_ends: dict[str, str]
    rate_ticks: tuple[Tick, ...]
    cost_ticks: tuple[Tick, ...]
    score_ticks: tuple[Tick, ...]
    cheapest: tuple[Span, ...]
    as_good: tuple[Span, ...]
    resampled: tuple[Span, ...]
    cut: dict[str, str]

    @property
    def cost_digits(self) -> int:
        return 3 if self.cost_unit < 0.2 else 2 if self.cost_unit < 2 else 1


def chart(
    frame: Frame,
    *,
    curve: Curve,
    costs: Costs,
    threshold: float,
    bands: tuple[float | None, float | None] = (None, None),
    cheapest: Iterable[tuple[float | None, float | None]] = (),
    as_good: Iterable[tuple[float | None, float | None]] = (),
    resampled: tuple[float | None, float | None] | None = None,
) -> Chart:
    """The drawing of one curve at one threshold.

    ``bands`` are the half widths around both rates; a range's end is None at pass all and at pass none.
    """
    levels, fails, passes = curve.levels.tolist(), curve.fails.tolist(), curve.passes.tolist()
    false_pass, false_fail = _shares(curve.false_pass, curve.fails), _shares(curve.false_fail, curve.passes)
    cost = _shares(cost_of_every_threshold(curve, costs), np.append(curve.fails, curve.passes))
    unit = cost_unit(cost)
    top = unit * 1.2
    cut = curve.candidate(threshold)
    each = marks_each(fails, passes)
    return Chart(
        frame=frame,
        marks=(
            *_marks(frame, levels, fails, "fail", each, cut),
            *_marks(frame, levels, passes, "pass", each, cut),
        ),
        each=each,
        lines={
            side: step_path(frame, levels, [frame.rate_y(value) for value in values])
            for side, values in (("fail", false_pass), ("pass", false_fail))
            if values
        },
        bands={
            side: _band(frame, levels, values, half)
            for side, values, half in (("fail", false_pass, bands[0]), ("pass", false_fail, bands[1]))
            if values and half is not None
        },
        cost_line=step_path(frame, levels, [frame.cost_y(value, top) for value in cost]) if levels else "",
        cost_unit=unit,
        cost_ends={
            name: text(frame.cost_y(cost[place], top) - 8) for name, place in (("all", 0), ("none", -1)) if cost
        },
        rate_ticks=tuple(_tick(frame.rate_y(share), share) for share in (0, 0.25, 0.5, 0.75, 1)),
        cost_ticks=tuple(_tick(frame.cost_y(share * unit, top), share, unit) for share in (0, 0.5, 1)),
        score_ticks=tuple(_tick(frame.x(k / frame.ticks), k / frame.ticks) for k in range(frame.ticks + 1)),
        cheapest=_spans(frame, cheapest),
        as_good=_spans(frame, as_good),
        resampled=_spans(frame, [resampled] if resampled else []),
        cut=_cut(frame, cut, threshold, false_pass, false_fail, cost, top),
    )


def _shares(amounts: Floats, of: Floats) -> list[float]:
    """The amount at each candidate as a share of the whole; empty where there is no case to share among."""
    whole = float(of.sum())
    return (amounts / whole).tolist() if whole else []


def cost_unit(cost: Numbers) -> float:
    """A round number so that pass all and pass none fit under 1.2 of it: 1, 2 or 5 times a power of ten."""
    biggest = max((cost[0], cost[-1], 1e-6) if cost else (1.0,)) / 1.2
    power = 10.0 ** math.floor(math.log10(biggest))
    return next(times * power for times in (1, 2, 5, 10) if times * power >= biggest)


def step_path(frame: Frame, levels: Numbers, ys: Numbers) -> str:
    """A curve that keeps one height between two scores. Steps closer than a tenth of a pixel are drawn as one."""
    parts = [f"M{text(frame.x(0))} {text(ys[0])}"]
    previous = None
    for level, y in zip(levels, ys[1:], strict=True):
        x = text(frame.x(level / STEPS))
        if x == previous:
            parts[-1] = f"V{text(y)}"
        else:
            parts += [f"H{x}", f"V{text(y)}"]
        previous = x
    return "".join([*parts, f"H{text(frame.x(1))}"])


def _band(frame: Frame, levels: Numbers, values: Numbers, half: float) -> str:
    """Upper edge from left to right, then lower edge back."""
    upper = step_path(frame, levels, [frame.rate_y(value + half) for value in values])
    lower = [frame.rate_y(value - half) for value in values]
    parts = [f"V{text(lower[-1])}"]
    for level, y in zip(reversed(levels), reversed(lower[:-1]), strict=True):
        parts += [f"H{text(frame.x(level / STEPS))}", f"V{text(y)}"]
    return "".join([upper, *parts, f"H{text(frame.x(0))}Z"])


def marks_each(fails: Numbers, passes: Numbers) -> int:
    """How many answers one mark stands for: one, unless there are more than a strip can show."""
    return max(1, math.ceil((math.fsum(fails) + math.fsum(passes)) / MOST_MARKS))


def _marks(frame: Frame, levels: Numbers, amounts: Numbers, side: Side, each: int, cut: int) -> Iterable[Mark]:
    """Marks piled up from the line in order of score, closer together in a pile that is too high."""
    away, room = (-1, frame.above) if side == "fail" else (1, frame.below)
    for pile, places in _piles(frame, levels, amounts, each).items():
        step = frame.pitch * min(1.0, room / len(places))
        x = min(frame.left + (pile + 0.5) * frame.pitch, frame.right)
        for height, place in enumerate(places):
            y = frame.strip + away * (frame.pitch / 2 + step * height + 4)
            yield Mark(side, int(levels[place]), text(x), text(y), (place >= cut) == (side == "pass"))


def _piles(frame: Frame, levels: Numbers, amounts: Numbers, each: int) -> dict[int, list[int]]:
    """Which levels the marks of each pile stand at: one mark wherever half of what it stands for is passed."""
    piles: dict[int, list[int]] = {}
    masses: dict[int, float] = {}
    for place, (level, amount) in enumerate(zip(levels, amounts, strict=True)):
        pile = int((frame.x(level / STEPS) - frame.left) / frame.pitch)
        masses[pile] = masses.get(pile, 0.0) + amount
        while masses[pile] >= (len(piles.get(pile, ())) + 0.5) * each:
            piles.setdefault(pile, []).append(place)
    return piles


def _spans(frame: Frame, ranges: Iterable[tuple[float | None, float | None]]) -> tuple[Span, ...]:
    found = []
    for low, high in ranges:
        start, end = frame.x(0 if low is None else low), frame.x(1 if high is None else high)
        found.append(Span(text(start), text(max(2.0, end - start))))
    return tuple(found)


def _tick(at: float, share: float, unit: float = 1) -> Tick:
    return Tick(text(at), text(at + 4), share, share * unit)


def _cut(
    frame: Frame, cut: int, threshold: float, false_pass: Numbers, false_fail: Numbers, cost: Numbers, top: float
) -> dict[str, str]:
    """Where the line of the threshold stands, and its crossings with the curves that there are."""
    x = frame.x(threshold)
    crossings = {
        "fail": frame.rate_y(false_pass[cut]) if false_pass else None,
        "pass": frame.rate_y(false_fail[cut]) if false_fail else None,
        "cost": frame.cost_y(cost[cut], top) if cost else None,
    }
    found = {name: y for name, y in crossings.items() if y is not None}
    if "cost" in found:
        found["word"] = found["cost"] - 12
    return {"x": text(x), "edge": frame.edge(x), **{name: text(y) for name, y in found.items()}}
