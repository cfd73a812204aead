"""How far raters agree, beyond chance and before it: figures that are undefined say so in words.

Cohen (1960, 1968) for two raters, Fleiss (1971) for more; Gwet (2008) for AC1; Krippendorff (2011), "Computing
Krippendorff's alpha-reliability". Missing labels are missing: never a label of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from calibration.statistics import sentences as say
from calibration.statistics.passing import Floats

Distance = Literal["nominal", "ordinal", "interval"]

ONE_LABEL = say.tell(say.NOT_DEFINED, reason=say.ONE_LABEL)
NO_PAIRS = say.tell(say.NOT_DEFINED, reason=say.NO_PAIRS)


@dataclass(frozen=True, slots=True)
class Figure:
    """A coefficient, or None and the reason why there is none."""

    value: float | None
    reason: str = ""
    method: str = ""
    distance: str = ""

    def to_dict(self) -> dict[str, Any]:
        named = {name: text for name in ("method", "distance") if (text := getattr(self, name))}
        return {"value": self.value, "reason": self.reason, **named}


def count_table(
    labels: Mapping[str, Sequence[Hashable | None]], categories: Sequence[Hashable] | None = None
) -> tuple[Floats, list[Hashable]]:
    """How often each category was given to each case: (cases, categories), and the categories.

    ``labels`` holds one sequence per rater, None where the rater gave no label. Categories not named are those
    found, sorted by their text, so that the order never hangs on hashing.
    """
    found = {label for column in labels.values() for label in column if label is not None}
    names = list(categories) if categories is not None else sorted(found, key=lambda name: (str(type(name)), name))
    if unknown := found - set(names):
        raise ValueError(f"labels outside the declared categories: {sorted(map(str, unknown))}")
    place = {name: index for index, name in enumerate(names)}
    counts = np.zeros((len(next(iter(labels.values()), [])), len(names)))
    for column in labels.values():
        for row, label in enumerate(column):
            if label is not None:
                counts[row, place[label]] += 1
    return counts, names


def pair_table(first: Sequence[Any], second: Sequence[Any], categories: Sequence[Hashable]) -> Floats:
    """The contingency table of two raters over the cases that both labeled."""
    place = {name: index for index, name in enumerate(categories)}
    table = np.zeros((len(categories), len(categories)))
    for one, other in zip(first, second, strict=True):
        if one is not None and other is not None:
            table[place[one], place[other]] += 1
    return table


def raw_agreement(counts: Floats) -> Figure:
    """Mean over cases with two labels or more of the share of their label pairs that agree."""
    used = counts[counts.sum(axis=1) >= 2]
    return Figure(float(_agreeing(used).mean())) if len(used) else Figure(None, NO_PAIRS)


def _agreeing(counts: Floats) -> Floats:
    sizes = counts.sum(axis=1)
    return np.asarray((counts * (counts - 1)).sum(axis=1) / (sizes * (sizes - 1)))


def cohen_kappa(
    table: Floats, *, weights: Literal["linear", "quadratic"] | None = None, scale: Sequence[float] | None = None
) -> Figure:
    """(po - pe) / (1 - pe) of a contingency table, whose cells may be design weights.

    With ``weights``, disagreement counts by its distance on ``scale``, the declared levels in order: a level that
    nobody used still lies between its neighbours.
    """
    name = say.KAPPAS[weights] if weights else "Cohen"
    if not table.sum() > 0:
        return Figure(None, NO_PAIRS, name)
    shares = table / table.sum()
    levels = np.asarray(scale if scale is not None else range(len(table)), dtype=np.float64)
    apart = np.abs(levels[:, None] - levels[None, :])
    loss = apart if weights == "linear" else apart**2 if weights == "quadratic" else (apart > 0).astype(float)
    expected = float((np.outer(shares.sum(axis=1), shares.sum(axis=0)) * loss).sum())
    if expected <= 1e-12:
        return Figure(None, ONE_LABEL, name)
    return Figure(1 - float((shares * loss).sum()) / expected, method=name)


def fleiss_kappa(counts: Floats) -> Figure:
    """Kappa for any number of raters with labels missing; chance by the mean share of each label."""
    return _beyond_chance(counts, "Fleiss", lambda shares: float((shares**2).sum()))


def gwet_ac1(counts: Floats) -> Figure:
    """Gwet's AC1, steady where one label is rare: pe = sum p (1 - p) / (q - 1) over q categories."""
    return _beyond_chance(counts, "Gwet", _gwet_chance)


def _gwet_chance(shares: Floats) -> float:
    return float((shares * (1 - shares)).sum() / (len(shares) - 1))


def pair_ac1(table: Floats) -> Figure:
    """AC1 of a contingency table, whose cells may be design weights."""
    if not table.sum() > 0:
        return Figure(None, NO_PAIRS, "Gwet")
    shares = table / table.sum()
    used = (shares.sum(axis=0) + shares.sum(axis=1)) / 2
    if np.count_nonzero(used) < 2:
        return Figure(None, ONE_LABEL, "Gwet")
    chance = _gwet_chance(used)
    return Figure((float(np.trace(shares)) - chance) / (1 - chance), method="Gwet")


def _beyond_chance(counts: Floats, name: str, chance_of: Callable[[Floats], float]) -> Figure:
    raw = raw_agreement(counts)
    if raw.value is None:
        return Figure(None, raw.reason, name)
    labeled = counts[counts.sum(axis=1) >= 1]
    shares = (labeled / labeled.sum(axis=1, keepdims=True)).mean(axis=0)
    if np.count_nonzero(shares) < 2:
        return Figure(None, ONE_LABEL, name)
    chance = chance_of(shares)
    return Figure((raw.value - chance) / (1 - chance), method=name)


def krippendorff_alpha(
    counts: Floats, *, distance: Distance = "nominal", scale: Sequence[float] | None = None
) -> Figure:
    """1 - observed / expected disagreement over the cases with two labels or more.

    ``distance`` must fit the labels: "nominal" for names, "ordinal" for grades in order, "interval" for numbers on
    ``scale``. Units weigh by their number of labels; pairs within a unit by 1 / (labels - 1).
    """
    sizes = counts.sum(axis=1)
    used = counts[sizes >= 2]
    if not len(used):
        return Figure(None, NO_PAIRS, distance=distance)
    coincidences = _coincidences(used)
    totals = coincidences.sum(axis=1)
    apart = _distances(totals, distance, scale)
    expected = float((np.outer(totals, totals) * apart).sum())
    if expected <= 0:
        return Figure(None, ONE_LABEL, distance=distance)
    observed = float((coincidences * apart).sum())
    return Figure(1 - (float(totals.sum()) - 1) * observed / expected, distance=distance)


def _coincidences(counts: Floats) -> Floats:
    shared = counts / (counts.sum(axis=1, keepdims=True) - 1)
    return np.asarray(shared.T @ counts - np.diag(shared.sum(axis=0)))


def _distances(totals: Floats, distance: Distance, scale: Sequence[float] | None) -> Floats:
    if distance == "nominal":
        return 1.0 - np.eye(len(totals))
    if distance == "ordinal":
        # Labels passed on the way from one to the other, each end counting half.
        middle = np.cumsum(totals) - totals / 2
        return np.asarray((middle[:, None] - middle[None, :]) ** 2)
    levels = np.asarray(range(len(totals)) if scale is None else scale, dtype=np.float64)
    return np.asarray((levels[:, None] - levels[None, :]) ** 2)


def explain_low_kappa(raw: float | None, kappa: float | None, share: Mapping[Any, float], both_fail: float) -> str:
    """One sentence where agreement is high and kappa low because one label is nearly everywhere; else ""."""
    if raw is None or kappa is None or not share or raw < 0.8 or kappa >= 0.4:
        return ""
    label = max(sorted(share, key=str), key=lambda name: share[name])
    if share[label] < 0.8:
        return ""
    both = say.tell(say.FAILED_BY_BOTH, count=f"{both_fail:g}") if both_fail else say.NONE_FAILED_BY_BOTH
    return say.tell(say.LOW_KAPPA, label=label, share=f"{100 * share[label]:.0f} %", both=both)
