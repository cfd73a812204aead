"""Where an import hands on what came along with its cases: labels to labeling, scores to evaluation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from cases.models import Case, Project
from cases.records import Record

#: Stores what it knows of a batch, inside the import's transaction; counts by name ("labels", "scores").
Sink = Callable[[Project, Sequence[tuple[Case, Record]]], Counter[str]]

_sinks: list[Sink] = []


def register_sink(sink: Sink) -> None:
    if sink not in _sinks:
        _sinks.append(sink)


def hand_on(project: Project, batch: Sequence[tuple[Case, Record]]) -> Counter[str]:
    return sum((sink(project, batch) for sink in _sinks), Counter())
