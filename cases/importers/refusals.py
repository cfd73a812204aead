"""What was refused, told once for all the lines it happened on."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from dataclasses import field as field_of

from cases.records import Hint, Refusal

_PLACE = re.compile(r"\[\d+\]")
_SHOWN = 10


@dataclass
class RefusalGroup:
    """Refusals of one field for one reason."""

    field: str
    problem: str
    hint: Hint | None
    count: int = 0
    lines: list[int] = field_of(default_factory=list)

    def __str__(self) -> str:
        where = f"{self.field}: " if self.field else ""
        advice = f"; {self.hint.advice}" if self.hint else ""
        return f"{where}{self.problem}: {lines_named(self.lines, self.count)}{advice}"


def grouped(refusals: Iterable[Refusal]) -> list[RefusalGroup]:
    """Those that many lines share first, then in file order."""
    groups: dict[tuple[str, str], RefusalGroup] = {}
    for refusal in refusals:
        name, problem = _PLACE.sub("", refusal.field), refusal.problem or refusal.reason
        group = groups.setdefault((name, problem), RefusalGroup(name, problem, refusal.hint))
        group.count += 1
        if len(group.lines) < _SHOWN:
            group.lines.append(refusal.line)
    return sorted(groups.values(), key=lambda group: -group.count)


def lines_named(lines: Sequence[int], count: int) -> str:
    """``line 2``; ``lines 2 and 3``; ``14 lines, 2, 3, 5 ...`` where not all are named.

    >>> lines_named([2], 1), lines_named([2, 3], 2), lines_named([2, 3, 5], 14)
    ('line 2', 'lines 2 and 3', '14 lines, 2, 3, 5 ...')
    """
    if count == 1:
        return f"line {lines[0]}"
    if count > len(lines):
        return f"{count:,} lines, {', '.join(map(str, lines))} ..."
    return f"lines {', '.join(map(str, lines[:-1]))} and {lines[-1]}"
