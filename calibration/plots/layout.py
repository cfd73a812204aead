"""The two sizes of the calibration chart: where its panels and words stand. Numbers only; the marks are in plots.py."""

from __future__ import annotations

from dataclasses import dataclass

#: So near an end of the drawing there is no room for the words beside the threshold.
EDGE = 135.0


@dataclass(frozen=True, slots=True)
class Frame:
    """One size of the drawing: its score axis from ``left`` to ``right``, and the height of each panel."""

    name: str
    width: int
    height: int
    left: float
    right: float
    radius: float
    pitch: float
    strip: float
    above: int
    below: int
    rates_top: float
    rates_bottom: float
    costs_top: float
    costs_bottom: float
    rows: float
    row_step: float
    base: float
    ticks: int
    has_margin: bool

    def x(self, share: float) -> float:
        return self.left + (self.right - self.left) * min(1.0, max(0.0, share))

    def rate_y(self, rate: float) -> float:
        return self.rates_bottom - (self.rates_bottom - self.rates_top) * min(1.0, max(0.0, rate))

    def cost_y(self, cost: float, top: float) -> float:
        return self.costs_bottom - (self.costs_bottom - self.costs_top) * min(cost, top) / top

    def edge(self, x: float) -> str:
        """Which end of the drawing is too near, as the class that hides the words there."""
        return "near-left" if x < EDGE else "near-right" if self.width - x < EDGE else ""

    @property
    def tick_digits(self) -> int:
        return 1 if self.ticks == 10 else 2

    def geometry(self) -> dict[str, str]:
        """What the page's script needs to move marks, as data attributes."""
        return {
            "left": text(self.left),
            "right": text(self.right),
            "rates-top": text(self.rates_top),
            "rates-bottom": text(self.rates_bottom),
            "costs-top": text(self.costs_top),
            "costs-bottom": text(self.costs_bottom),
            "edge": text(EDGE),
        }

    def places(self) -> dict[str, str]:
        """Where lines, words and rows stand that no figure moves."""
        found = {
            **self._axis(),
            "fails": 48.0,
            "fails_note": 64.0 if self.has_margin else 60.0,
            "passes": self.strip + (22 if self.has_margin else self.below * self.pitch + 22),
            "passes_note": self.strip + (38 if self.has_margin else self.below * self.pitch + 36),
            "mistakes": self.rates_top + (12 if self.has_margin else -14),
            "mistakes_note": self.rates_top + 30,
            "curve_name": self.rates_top + 0.36 * (self.rates_bottom - self.rates_top),
            "curve_note": self.rates_top + 0.36 * (self.rates_bottom - self.rates_top) + 17,
            "cost": self.costs_top + (12 if self.has_margin else -16),
            "cost_note": self.costs_top + 30,
        }
        for row in (1, 2, 3):
            middle = self.rows + self.row_step * (row - 1)
            found[f"row_{row}"] = middle
            found[f"bar_{row}"] = middle + (-9 if self.has_margin else 5)
            found[f"word_{row}"] = middle + (0 if self.has_margin else 13)
        return {name: text(value) for name, value in found.items()}

    def _axis(self) -> dict[str, float]:
        return {
            "left": self.left,
            "left_inner": self.left + 8,
            "right": self.right,
            "right_inner": self.right - 4,
            "middle": (self.left + self.right) / 2,
            "tick": self.left - (8 if self.has_margin else 4),
            "radius": self.radius,
            "strip": self.strip,
            "region": self.base - 40,
            "base": self.base,
            "base_tick": self.base + 5,
            "base_label": self.base + 18,
            "base_word": self.base + 36,
        }


WIDE = Frame(
    name="wide", width=960, height=681, left=168, right=944, radius=3.3, pitch=7.2, strip=80, above=6, below=9,
    rates_top=186, rates_bottom=402, costs_top=434, costs_bottom=566, rows=586, row_step=22, base=643, ticks=10,
    has_margin=True,
)  # fmt: skip
NARROW = Frame(
    name="narrow", width=350, height=738, left=36, right=338, radius=2.3, pitch=5, strip=104, above=8, below=16,
    rates_top=268, rates_bottom=418, costs_top=480, costs_bottom=580, rows=612, row_step=27, base=694, ticks=4,
    has_margin=False,
)  # fmt: skip


def text(value: float) -> str:
    """A coordinate: one decimal, with a point in every language."""
    return f"{value:.1f}"
