"""Labels that came in a file: one label for each (case, annotator), a verdict row for each metric.

Importing the same content again changes nothing; changed content becomes a new revision, and a metric that the file
does not speak of keeps what was said before. Every batch takes a constant number of queries.
"""

from __future__ import annotations

import uuid
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone

from cases.importers.limits import LIMITS, over
from cases.importers.moments import moment_of
from cases.models import Case, Project, UnitKind, UnitSet
from cases.records import LabelRecord, Record
from cases.services.names import plain_name
from cases.units import unit_hash
from labeling.models import Annotator, Blind, Label, LabelSource, UnitVerdict, Verdict
from labeling.services.errors import LabelingError

#: Rows of one query's IN list: below what the smallest SQLite takes.
CHUNK = 800
UNIT_SOURCE = "imported"
#: One metric's verdict: word, grade, scale, note.
Answer = tuple[str, float | None, float | None, float | None, str]
#: (metric, kind, index) -> (unit hash, verdict, evidence).
Units = dict[tuple[str, str, int], tuple[str, str, tuple[int, ...]]]


@dataclass(frozen=True, slots=True)
class LabelChange:
    """What an import of labels did: labels are counted by (case, annotator), never by metric."""

    held: int = 0
    created: int = 0
    revised: int = 0

    @property
    def unchanged(self) -> int:
        return self.held - self.created - self.revised

    def __add__(self, other: LabelChange) -> LabelChange:
        return LabelChange(self.held + other.held, self.created + other.created, self.revised + other.revised)


@dataclass(slots=True)
class _Content:
    """What one annotator says of one case: the part that decides whether anything has changed."""

    answers: dict[str, Answer] = field(default_factory=dict)
    units: Units = field(default_factory=dict)
    failure_mode: str = ""

    def updated_by(self, newer: _Content) -> _Content:
        """What is said now; a file that only repeats a verdict takes neither its scale nor its note away."""
        answers = {metric: _kept(self.answers.get(metric), answer) for metric, answer in newer.answers.items()}
        kept = {key: unit for key, unit in self.units.items() if key[0] not in {metric for metric, _, _ in newer.units}}
        mode = newer.failure_mode or self.failure_mode
        return _Content({**self.answers, **answers}, {**kept, **newer.units}, mode)


def _kept(older: Answer | None, newer: Answer) -> Answer:
    if older is None or older[:2] != newer[:2]:
        return newer
    scale = newer[2:4] if newer[2] is not None else older[2:4]
    return (*newer[:2], *scale, newer[4] or older[4])


@dataclass(slots=True)
class _Said:
    content: _Content = field(default_factory=_Content)
    created_at: datetime | None = None
    seconds: float | None = None


def store_imported_labels(project: Project, batch: Sequence[tuple[Case, Record]]) -> Counter[str]:
    """The sink that imports of cases hand their labels to: how many labels the batch holds."""
    change = store_labels(project, [(case, label) for case, record in batch for label in record.labels])
    return Counter({"labels": change.held} if change.held else {})


@transaction.atomic
def store_labels(project: Project, pairs: Iterable[tuple[Case, LabelRecord]]) -> LabelChange:
    """Store what people said about cases of the project, whoever read it from wherever."""
    said, unit_sets = _grouped(pairs)
    if not said:
        return LabelChange()
    UnitSet.objects.bulk_create(unit_sets.values(), ignore_conflicts=True, batch_size=500)
    annotators = _annotators(project, sorted({name for _, name in said}))
    wanted = {(case_id, annotators[name].pk): what for (case_id, name), what in said.items()}
    held = len(wanted)
    wanted = _without_own(wanted)
    stored = _stored(wanted)
    changed = _changed(wanted, {key: content for key, (_, content) in stored.items()})
    _append(changed, {key: label for key, (label, _) in stored.items()})
    revised = sum(key in stored for key in changed)
    return LabelChange(held=held, created=len(changed) - revised, revised=revised)


def _changed(wanted: dict[tuple[int, int], _Said], stored: dict[tuple[int, int], _Content]) -> dict[Any, _Said]:
    """What is new, or differs from what is stored, with all that is said now."""
    nothing = _Content()
    now = {key: stored.get(key, nothing).updated_by(what.content) for key, what in wanted.items()}
    return {
        key: replace(what, content=now[key])
        for key, what in wanted.items()
        if key not in stored or now[key] != stored[key]
    }


def _grouped(pairs: Iterable[tuple[Case, LabelRecord]]) -> tuple[dict[tuple[int, str], _Said], dict[Any, UnitSet]]:
    said: defaultdict[tuple[int, str], _Said] = defaultdict(_Said)
    unit_sets: dict[Any, UnitSet] = {}
    for case, record in pairs:
        if record.verdict is None and record.grade is None:
            continue
        one = said[case.pk, annotator_name(record.annotator)]
        low, high = record.scale or (None, None)
        one.content.answers[record.metric] = (record.verdict or "", record.grade, low, high, record.note)
        one.content.units.update(_units(case, record, unit_sets))
        one.content.failure_mode = one.content.failure_mode or record.failure_mode
        one.created_at = max(filter(None, (one.created_at, moment_of(record.created_at))), default=None)
        one.seconds = max((s for s in (one.seconds, record.seconds) if s is not None), default=None)
    return dict(said), unit_sets


def annotator_name(name: str) -> str:
    """As it is stored. Never cut: two people whose names begin alike must not become one."""
    name = plain_name(name) or "unnamed"
    if problem := over(LIMITS["annotator"], name):
        raise LabelingError(f"the annotator's name {problem}: {name!r}")
    return name


def _units(case: Case, record: LabelRecord, unit_sets: dict[Any, UnitSet]) -> Units:
    """Unit verdicts of one record; the texts they were said of are kept as a unit set of their own."""
    by_kind: defaultdict[str, list[tuple[str, Any, tuple[int, ...]]]] = defaultdict(list)
    for unit in record.units:
        kind = str(unit.get("kind") or next((each for each in UnitKind.values if each in unit), UnitKind.CLAIM))
        text, evidence = str(unit.get("text") or unit.get(kind) or ""), unit.get("evidence")
        linked = tuple(each for each in evidence if isinstance(each, int)) if isinstance(evidence, list | tuple) else ()
        by_kind[kind].append((text, unit.get("verdict"), linked))
    units: Units = {}
    for kind, rows in by_kind.items():
        texts = [text for text, _, _ in rows]
        digest = unit_hash(kind, UNIT_SOURCE, texts)
        if any(texts) and kind in UnitKind.values:
            unit_sets[case.pk, kind, digest] = UnitSet(
                case=case, kind=kind, source=UNIT_SOURCE, hash=digest, texts=texts
            )
        for index, (_, verdict, linked) in enumerate(rows):
            if verdict is not None:
                units[record.metric, kind, index] = (digest, str(verdict), linked)
    return units


def _annotators(project: Project, names: list[str]) -> dict[str, Annotator]:
    known = {each.name: each for each in project.annotators.all()}
    missing = [Annotator(project=project, name=name) for name in names if name not in known]
    if missing:
        Annotator.objects.bulk_create(missing, ignore_conflicts=True, batch_size=500)
        known = {each.name: each for each in project.annotators.all()}
    return known


def _stored(keys: Iterable[tuple[int, int]]) -> dict[tuple[int, int], tuple[Label, _Content]]:
    """The newest imported label and its content for each (case, annotator) that has one."""
    wanted = set(keys)
    labels: dict[int, Label] = {}
    for some in _chunks(sorted({case_id for case_id, _ in wanted})):
        found = Label.objects.filter(case_id__in=some, slot__isnull=True, is_current=True)
        labels.update({each.pk: each for each in found if (each.case_id, each.annotator_id) in wanted})
    contents = {pk: _Content(failure_mode=label.failure_mode) for pk, label in labels.items()}
    for some in _chunks(sorted(labels)):
        for row in Verdict.objects.filter(label_id__in=some):
            answer = (row.verdict, row.grade, row.scale_low, row.scale_high, row.note)
            contents[row.label_id].answers[row.metric] = answer
        for unit in UnitVerdict.objects.filter(label_id__in=some):
            what = (unit.unit_hash, unit.verdict, tuple(unit.evidence))
            contents[unit.label_id].units[unit.metric, unit.kind, unit.index] = what
    return {(label.case_id, label.annotator_id): (label, contents[pk]) for pk, label in labels.items()}


def _without_own(wanted: dict[tuple[int, int], _Said]) -> dict[tuple[int, int], _Said]:
    """Without what a round's label says already, word for word: an export that comes back changes nothing."""
    own: defaultdict[tuple[int, int], set[tuple[str, str, float | None]]] = defaultdict(set)
    for some in _chunks(sorted({case_id for case_id, _ in wanted})):
        verdicts = Verdict.objects.filter(
            label__case_id__in=some, label__slot__isnull=False, label__is_current=True, label__is_withdrawn=False
        )
        for *key, metric, word, grade in verdicts.values_list(
            "label__case_id", "label__annotator_id", "metric", "verdict", "grade"
        ):
            own[key[0], key[1]].add((metric, word, grade))
    said = {
        key: {(metric, *answer[:2]) for metric, answer in what.content.answers.items()} for key, what in wanted.items()
    }
    return {key: what for key, what in wanted.items() if not said[key] <= own[key]}


def _chunks(values: list[int]) -> Iterable[list[int]]:
    return (values[at : at + CHUNK] for at in range(0, len(values), CHUNK))


def _append(changed: dict[tuple[int, int], _Said], older: dict[tuple[int, int], Label]) -> None:
    """Write the new revisions; the ones before them stay, no longer current."""
    for some in _chunks([older[key].pk for key in changed if key in older]):
        Label.objects.filter(pk__in=some).update(is_current=False)
    labels = {key: _label(key, what, older.get(key)) for key, what in changed.items()}
    Label.objects.bulk_create(labels.values(), batch_size=500)
    verdicts, units = [], []
    for key, what in changed.items():
        label = labels[key]
        for metric, (word, grade, low, high, note) in what.content.answers.items():
            verdicts.append(
                Verdict(
                    label=label, metric=metric, verdict=word, grade=grade, scale_low=low, scale_high=high, note=note
                )
            )
        for (metric, kind, index), (digest, word, linked) in what.content.units.items():
            units.append(
                UnitVerdict(
                    label=label,
                    metric=metric,
                    kind=kind,
                    index=index,
                    unit_hash=digest,
                    verdict=word,
                    evidence=list(linked),
                )
            )
    Verdict.objects.bulk_create(verdicts, batch_size=500)
    UnitVerdict.objects.bulk_create(units, batch_size=500)


def _label(key: tuple[int, int], what: _Said, older: Label | None) -> Label:
    case_id, annotator_id = key
    return Label(
        case_id=case_id,
        annotator_id=annotator_id,
        revision=older.revision + 1 if older else 1,
        client_id=uuid.uuid4(),
        source=LabelSource.IMPORT,
        blind=Blind.UNKNOWN,
        failure_mode=what.content.failure_mode,
        seconds=what.seconds if what.seconds is not None or older is None else older.seconds,
        created_at=what.created_at or timezone.now(),
    )
