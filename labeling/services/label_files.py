"""Labels as a long table of their own: read from a file, written to one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from django.db import transaction

from cases.importers import Import, ImportOptions, open_import
from cases.importers.options import NOTHING_SAID
from cases.importers.words import is_number
from cases.models import Case, DatasetRow, Project, Sample, User
from cases.records import LabelRecord, Record, Refusal
from cases.services import audit, find_dataset
from cases.spreadsheets import original
from labeling.models import Label
from labeling.services.imports import LabelChange, annotator_name, store_labels

#: A column of this name says that the table is our own export: its text cells may carry a ``'`` to be taken off.
EXPORT_MARK = "workbench.labels/1"
COLUMNS = (
    "case_id",
    "system",
    "annotator",
    "metric",
    "label",
    "grade",
    "scale",
    "note",
    "failure_mode",
    "seconds",
    "created_at",
    "blind",
    "source",
)
_BATCH = 2000


@dataclass(slots=True)
class LabelImport:
    """What a file of labels held and what became of it."""

    rows: int = 0
    without_label: int = 0
    labels: int = 0
    created: int = 0
    revised: int = 0
    unchanged: int = 0
    refused: list[dict[str, Any]] = field(default_factory=list)
    format: str = ""
    encoding: str = ""
    delimiter: str | None = None
    mapping: dict[str, str] = field(default_factory=dict)
    unknown_words: dict[str, int] = field(default_factory=dict)
    stored: bool = False

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def import_label_file(
    project: Project,
    path: Path,
    options: ImportOptions,
    *,
    dataset: str | None = None,
    strict: bool = False,
    dry_run: bool = False,
    user: User | None = None,
) -> LabelImport:
    """Store the labels of a long table on the cases they name; refused rows are listed, the rest is stored at once.

    A column of nothing but numbers beside 0 and 1 is read as grades, and the result's mapping says so.
    Raises CaseFileError when the file as a whole cannot be read.
    """
    options = _understood(path, replace(options, needs_case=False))
    reader = open_import(path, options)
    result = LabelImport()
    pairs = _pairs(reader, _Cases(project, dataset), result)
    report = reader.report
    result.rows, result.format, result.encoding = report.rows, report.format, report.encoding
    result.delimiter, result.mapping = report.delimiter, dict(report.columns_read.mapping)
    result.unknown_words = dict(report.unknown_words)
    if dry_run or (strict and result.refused):
        result.labels = len({(case.pk, annotator_name(label.annotator)) for case, label in pairs})
        return result
    _store(project, pairs, result)
    audit(project, user, "import labels", path.name, labels=result.labels, refused=len(result.refused))
    return result


@transaction.atomic
def _store(project: Project, pairs: list[tuple[Case, LabelRecord]], result: LabelImport) -> None:
    change = LabelChange()
    for batch in _by_case(pairs):
        change += store_labels(project, batch)
    result.labels, result.created, result.revised = change.held, change.created, change.revised
    result.unchanged, result.stored = change.unchanged, True


def _by_case(pairs: list[tuple[Case, LabelRecord]]) -> Iterator[list[tuple[Case, LabelRecord]]]:
    """Batches that keep a case's labels together: one person's metrics make one label."""
    grouped: defaultdict[int, list[tuple[Case, LabelRecord]]] = defaultdict(list)
    for case, label in pairs:
        grouped[case.pk].append((case, label))
    batch: list[tuple[Case, LabelRecord]] = []
    for some in grouped.values():
        batch += some
        if len(batch) >= _BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def _understood(path: Path, options: ImportOptions) -> ImportOptions:
    """The options that also read what can only mean one thing: grades as numbers, times as ``timestamp``."""
    first = open_import(path, options)
    for _ in first:
        pass
    columns, mapping = first.report.columns_read, dict(options.mapping)
    unknown = first.report.unknown_words
    human = next((column for column, name in columns.mapping.items() if name == "human"), None)
    if human and unknown and all(is_number(word) for word in unknown) and "grade" not in columns.mapping.values():
        mapping[human] = "grade"
    if "timestamp" in columns.unknown and "created_at" not in columns.mapping.values():
        mapping["timestamp"] = "created_at"
    return replace(options, mapping=mapping)


class _Cases:
    """The cases that a label may be about: of one dataset's newest version, or of all in the project."""

    def __init__(self, project: Project, dataset: str | None) -> None:
        chosen = list(project.datasets.stored()) if dataset is None else [find_dataset(project, dataset)]
        newest = [version.pk for each in chosen if (version := each.latest) is not None]
        rows = DatasetRow.objects.filter(version__in=newest).select_related("case")
        self._by_id: defaultdict[str, list[Case]] = defaultdict(list)
        for row in rows.iterator(chunk_size=2000):
            self._by_id[row.case.external_id].append(row.case)
        self._where = f"dataset {dataset!r}" if dataset else f"project {project.slug}"

    def find(self, external_id: str, system: str) -> Case:
        found = self._by_id.get(external_id, [])
        if system:
            found = [case for case in found if case.system == system]
        if not found:
            raise LookupError(f"there is no case {external_id!r} in {self._where}")
        if len(found) > 1:
            raise LookupError(f"{external_id!r} names {len(found)} cases; --dataset or a column 'system' parts them")
        return found[0]


def _pairs(reader: Import, cases: _Cases, result: LabelImport) -> list[tuple[Case, LabelRecord]]:
    """The labels with their cases; what cannot be taken goes to ``result.refused``."""
    pairs: list[tuple[Case, LabelRecord]] = []
    seen: dict[tuple[int, str, str], tuple[int, LabelRecord]] = {}
    for item in reader:
        if isinstance(item, Refusal):
            if item.reason == NOTHING_SAID:  # a gap in a table of labels: they did not see the case
                result.without_label += 1
            else:
                result.refused.append(asdict(item))
            continue
        is_ours = EXPORT_MARK in reader.report.columns_read.seen
        for label in item.labels:
            refusal = _take(item, _unmarked(label) if is_ours else label, cases, seen, pairs)
            if refusal is not None:
                result.refused.append(asdict(refusal))
    return pairs


def _take(
    record: Record,
    label: LabelRecord,
    cases: _Cases,
    seen: dict[tuple[int, str, str], tuple[int, LabelRecord]],
    pairs: list[tuple[Case, LabelRecord]],
) -> Refusal | None:
    try:
        case = cases.find(label.case_id, label.system)
    except LookupError as error:
        return Refusal(record.line, "case_id", str(error))
    key = (case.pk, annotator_name(label.annotator), label.metric)
    earlier = seen.setdefault(key, (record.line, label))
    if (earlier[1].verdict, earlier[1].grade) != (label.verdict, label.grade):
        return Refusal(record.line, "label", f"{label.annotator} said something else of this case on line {earlier[0]}")
    if earlier[1] is label:
        pairs.append((case, label))
    return None


def _unmarked(label: LabelRecord) -> LabelRecord:
    return replace(
        label,
        case_id=original(label.case_id),
        system=original(label.system),
        annotator=original(label.annotator),
        metric=original(label.metric),
        note=original(label.note),
        failure_mode=original(label.failure_mode),
    )


def export_rows(
    project: Project, *, sample: Sample | None = None, dataset: str | None = None
) -> Iterator[dict[str, Any]]:
    """Every current label as rows of the long table, one for each verdict, in a stable order."""
    labels = Label.objects.current().filter(case__dataset__project=project)
    if sample is not None:
        labels = labels.filter(case__rows__sample_items__sample=sample)
    if dataset is not None:
        labels = labels.filter(case__dataset__name=dataset)
    ordered = labels.select_related("case", "annotator").prefetch_related("verdicts")
    for label in ordered.order_by("case__external_id", "case__system", "annotator__name", "pk").iterator(
        chunk_size=1000
    ):
        for verdict in sorted(label.verdicts.all(), key=lambda each: each.metric):
            yield dict(zip(COLUMNS, _cells(label, verdict), strict=True))


def _cells(label: Label, verdict: Any) -> Iterable[Any]:
    has_scale = verdict.scale_low is not None and verdict.scale_high is not None
    return (
        label.case.external_id,
        label.case.system,
        label.annotator.name,
        verdict.metric,
        verdict.verdict,
        verdict.grade,
        f"{verdict.scale_low:g}-{verdict.scale_high:g}" if has_scale else "",
        verdict.note or label.critique,
        label.failure_mode,
        label.seconds,
        label.created_at.isoformat(),
        label.blind,
        label.source,
    )
