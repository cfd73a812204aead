"""On which scale a file's scores are: those that are not on 0 to 1 are known by their whole, not one by one."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from cases.records import Hint

Pair = tuple[str, str]  # judge and metric

#: Scores are compared at 9 places: what lies beyond an end by less is dust of a sum, no wrong scale.
DUST = 5e-10
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class OffScale:
    """What is not taken at all: the scores of these judges and metrics, the numbers among these metrics' labels."""

    scores: frozenset[Pair] = frozenset()
    labels: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.scores or self.labels)


NOTHING_OFF = OffScale()


@dataclass
class Tally:
    """The numeric scores that one judge gave under one metric."""

    numbers: int = 0
    outside: int = 0
    highest: float = 0.0
    lowest: float = 0.0
    shown: list[str] = field(default_factory=list)

    @property
    def is_off(self) -> bool:
        return self.outside > self.numbers / 2


class Scales:
    """Counts every numeric score of a file. On a scale of 0 to 100 a 1 is the worst, on 0 to 1 it is the best."""

    def __init__(self) -> None:
        self.tallies: dict[Pair, Tally] = {}
        self.labels: defaultdict[str, Counter[float]] = defaultdict(Counter)

    def saw(self, pair: Pair, number: float) -> None:
        tally = self.tallies.setdefault(pair, Tally())
        tally.numbers += 1
        tally.highest, tally.lowest = max(tally.highest, number), min(tally.lowest, number)
        if is_outside(number):
            tally.outside += 1
            if len(tally.shown) < _SHOWN:
                tally.shown.append(f"{number:g}")

    def saw_label(self, metric: str, number: float) -> None:
        self.labels[metric][number] += 1

    def off(self) -> OffScale:
        """Where more than half of the scores lie outside 0 to 1, and where the labels are grades: then a 1 among them
        does not mean what it says."""
        scores = frozenset(pair for pair, tally in self.tallies.items() if tally.is_off)
        return OffScale(scores, frozenset(metric for metric, seen in self.labels.items() if _are_grades(seen)))

    def remarks(self, refused: Collection[Pair]) -> Iterator[tuple[str, Hint]]:
        """What is wrong with each judge's scale, and what would mend it."""
        for (judge, metric), tally in self.tallies.items():
            shown = ", ".join(tally.shown) + (" ..." if tally.outside > len(tally.shown) else "")
            if (judge, metric) in refused:
                yield f"{shown}: {off_scale(judge, metric)}; none was taken", _hint(tally)
            elif tally.outside > 0 and not tally.is_off:
                taken = tally.numbers - tally.outside
                count = f"{tally.outside:,} of {tally.numbers:,} scores of {judge} on {metric}"
                problem = f"{shown}: {count} are outside 0 to 1; the other {taken:,} were taken as they are"
                yield problem, Hint("scale", "Make sure that 1 is the best of this scale")


def _are_grades(seen: Counter[float]) -> bool:
    """One other number beside 0 and 1 may be a slip; two, or more than half, are a scale."""
    others = [number for number in seen if number not in (0, 1)]
    return len(others) > 1 or sum(seen[number] for number in others) > seen.total() / 2


def off_scale(judge: str, metric: str) -> str:
    return f"the scores of {judge} on {metric} are not on 0 to 1"


def is_outside(number: float) -> bool:
    return not -DUST < number < 1 + DUST


def _hint(tally: Tally) -> Hint:
    is_percent = tally.lowest >= 0 and 10 < tally.highest <= 100
    return Hint("scale", "Divide them by 100" if is_percent else "Bring them to 0 to 1, 1 the best, in the file")
