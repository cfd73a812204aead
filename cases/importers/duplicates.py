"""Rows that name a case again: the same content is taken once, different content is a conflict."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace

from cases.records import LabelRecord, Record, Refusal, ScoreRecord

_Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Duplicate:
    """A row that says again what an earlier one said: ``line`` repeats ``first_line``."""

    id: str
    system: str
    first_line: int
    line: int


@dataclass(frozen=True, slots=True)
class Conflict:
    """Rows under one id and system whose judged content differs: none of them is stored."""

    id: str
    system: str
    lines: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _First:
    position: int
    line: int
    digest: bytes
    labels: int
    scores: int


class Deduplicator:
    """Sees every record once (``add``), then knows which to keep when they pass again (``settled``).

    Keeps a hash of each case, never its text. A case is keyed by id and system, ids compared in NFC; group,
    language and metadata do not tell cases apart. Labels and scores of a repeated row go to its first row, so
    that a file with one row for each annotator loses none.
    """

    def __init__(self) -> None:
        self._first: dict[_Key, _First] = {}
        self._conflicts: dict[_Key, Conflict] = {}
        self._later: dict[_Key, list[Record]] = {}
        self._position = 0
        self.duplicates: list[Duplicate] = []
        self.blocked_labels = self.blocked_scores = 0

    @property
    def conflicts(self) -> list[Conflict]:
        return list(self._conflicts.values())

    @property
    def blocked(self) -> Collection[_Key]:
        """The keys in conflict."""
        return self._conflicts.keys()

    @property
    def distinct(self) -> int:
        """How many cases the rows name, those in conflict among them."""
        return len(self._first)

    @property
    def has_opinions_to_join(self) -> bool:
        return bool(self._later)

    def add(self, record: Record) -> None:
        key, digest = _key(record), bytes.fromhex(record.case.judged_hash())[:16]
        position, self._position = self._position, self._position + 1
        first = self._first.get(key)
        if first is None:
            seen = _First(position, record.line, digest, len(record.labels), len(record.scores))
            self._first[key] = seen
        elif key in self._conflicts or digest != first.digest:
            self._block(key, first, record)
        else:
            self._repeat(key, first, record)

    def settled(self, records: Iterable[Record]) -> Iterator[tuple[Record, list[Refusal]]]:
        """The records to keep, of the same rows in the same order, with what could not be joined to them."""
        for position, record in enumerate(records):
            key = _key(record)
            if key not in self._conflicts and self._first[key].position == position:
                yield join(record, self._later.get(key, []))

    def _repeat(self, key: _Key, first: _First, record: Record) -> None:
        self.duplicates.append(Duplicate(record.case.id, record.case.system, first.line, record.line))
        if record.labels or record.scores:
            self._later.setdefault(key, []).append(record)

    def _block(self, key: _Key, first: _First, record: Record) -> None:
        conflict = self._conflicts.get(key)
        if conflict is None:
            self.blocked_labels += first.labels + sum(len(late.labels) for late in self._later.get(key, []))
            self.blocked_scores += first.scores + sum(len(late.scores) for late in self._later.get(key, []))
            self._later.pop(key, None)
            conflict = Conflict(record.case.id, record.case.system, (first.line,))
        self._conflicts[key] = replace(conflict, lines=(*conflict.lines, record.line))
        self.blocked_labels += len(record.labels)
        self.blocked_scores += len(record.scores)


def join(first: Record, later: Iterable[Record]) -> tuple[Record, list[Refusal]]:
    """The first record with the labels and scores of the later ones.

    A label said again is taken once; the same annotator saying otherwise is refused, for nobody can tell which
    of the two is meant.
    """
    labels = {(label.annotator, label.metric): label for label in first.labels}
    scores = {(score.judge, score.metric): score for score in first.scores}
    refusals: list[Refusal] = []
    for record in later:
        for label in record.labels:
            if labels.setdefault((label.annotator, label.metric), label) != label:
                refusals.append(_other_label(record, label, first))
        for score in record.scores:
            if scores.setdefault((score.judge, score.metric), score) != score:
                refusals.append(_other_score(record, score, first))
    return replace(first, labels=tuple(labels.values()), scores=tuple(scores.values())), refusals


def _other_label(record: Record, label: LabelRecord, first: Record) -> Refusal:
    reason = (
        f"{label.annotator} has labeled {label.metric} of {label.case_id!r} already, from line {first.line} on; "
        "an annotator column would tell two people apart"
    )
    return Refusal(record.line, "human", reason)


def _other_score(record: Record, score: ScoreRecord, first: Record) -> Refusal:
    reason = (
        f"{score.judge} has scored {score.metric} of {score.case_id!r} already, from line {first.line} on; "
        "a judge or metric column would tell two scores apart"
    )
    return Refusal(record.line, "score", reason)


def key_of(case_id: str, system: str) -> _Key:
    return (unicodedata.normalize("NFC", case_id), unicodedata.normalize("NFC", system))


def _key(record: Record) -> _Key:
    return key_of(record.case.id, record.case.system)
