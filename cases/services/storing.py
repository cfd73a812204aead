"""Writes the next version of a dataset: only what is new or changed is inserted, the rest is carried over."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple
from uuid import uuid4

from cases.models import Case, Dataset, DatasetRow, DatasetVersion
from cases.records import JUDGED_FIELDS, Record, TestCase

Key = tuple[str, str]


class KnownRow(NamedTuple):
    """A row of the newest version, as far as it is needed to tell a change."""

    case_id: int
    row_hash: str
    position: int


class VersionWriter:
    """Takes batches of records; ``finish`` gives the version that holds them all.

    No version is made before the first row that differs, so importing a file twice changes nothing.
    """

    def __init__(self, dataset: Dataset, source_name: str) -> None:
        self.dataset, self.source_name = dataset, source_name
        self.previous = dataset.latest
        self.known = _known_rows(self.previous)
        self.next_position = 1 + max((row.position for row in self.known.values()), default=-1)
        self.replaced: set[Key] = set()
        self.version: DatasetVersion | None = None
        self.counts: Counter[str] = Counter()

    def add(self, batch: Sequence[Record]) -> list[tuple[Case, Record]]:
        """Store the batch's cases and rows; the stored case of each record that is new, or has a label or score."""
        hashed = [(record, record.case.row_hash()) for record in batch]
        changed = [(record, row_hash) for record, row_hash in hashed if self._differs(record, row_hash)]
        same = [record for record, row_hash in hashed if self._is_known(record, row_hash)]
        cases = self._cases([record.case for record, _ in changed])
        stored = [(cases[_content_key(record.case)], record) for record, _ in changed]
        self._insert([(case, record, row_hash) for (case, record), (_, row_hash) in zip(stored, changed, strict=True)])
        return stored + self._unchanged_pairs([record for record in same if record.labels or record.scores])

    def finish(self) -> DatasetVersion | None:
        """The new version completed, the old one when nothing differed, None when there never was a row."""
        if self.version is None:
            return self.previous
        self._carry_over()
        self.version.content_hash = _version_hash(self.version)
        self.version.save(update_fields=["content_hash"])
        return self.version

    def _is_known(self, record: Record, row_hash: str) -> bool:
        known = self.known.get(_key(record.case))
        return known is not None and known.row_hash == row_hash

    def _differs(self, record: Record, row_hash: str) -> bool:
        is_same = self._is_known(record, row_hash)
        self.counts["unchanged" if is_same else "updated" if _key(record.case) in self.known else "created"] += 1
        return not is_same

    def _cases(self, wanted: list[TestCase]) -> dict[tuple[str, str, str], Case]:
        """Stored cases by content; content that an older version had is found again, with its labels."""
        if not wanted:
            return {}
        by_content = {_content_key(case): case for case in wanted}
        found = self._stored(by_content)
        missing = [_new_case(self.dataset, case, key[2]) for key, case in by_content.items() if key not in found]
        Case.objects.bulk_create(missing, batch_size=500)
        return found | {(case.external_id, case.system, case.judged_hash): case for case in missing}

    def _stored(self, wanted: dict[tuple[str, str, str], TestCase]) -> dict[tuple[str, str, str], Case]:
        rows = Case.objects.filter(dataset=self.dataset, external_id__in={key[0] for key in wanted})
        rows = rows.only("external_id", "system", "judged_hash", "dataset_id")
        found = {(case.external_id, case.system, case.judged_hash): case for case in rows}
        return {key: case for key, case in found.items() if key in wanted}

    def _unchanged_pairs(self, records: list[Record]) -> list[tuple[Case, Record]]:
        ids = [self.known[_key(record.case)].case_id for record in records]
        cases = Case.objects.only("external_id", "system", "dataset_id").in_bulk(ids) if ids else {}
        return [(cases[pk], record) for pk, record in zip(ids, records, strict=True)]

    def _insert(self, changed: list[tuple[Case, Record, str]]) -> None:
        if not changed:
            return
        version = self._open_version()
        rows = [
            _new_row(version, case, record.case, row_hash, self._place(record)) for case, record, row_hash in changed
        ]
        DatasetRow.objects.bulk_create(rows, batch_size=500)

    def _place(self, record: Record) -> int:
        key = _key(record.case)
        self.replaced.add(key)
        if key in self.known:
            return self.known[key].position
        self.next_position += 1
        return self.next_position - 1

    def _open_version(self) -> DatasetVersion:
        if self.version is None:
            number = self.previous.number + 1 if self.previous else 1
            # The hash is known only at the end; until then it is a placeholder inside this transaction.
            self.version = DatasetVersion.objects.create(
                dataset=self.dataset, number=number, content_hash=uuid4().hex, source_name=self.source_name[:255]
            )
        return self.version

    def _carry_over(self) -> None:
        kept = {row.case_id for key, row in self.known.items() if key not in self.replaced}
        if not kept or self.previous is None:
            return
        copies: list[DatasetRow] = []
        for row in self.previous.rows.iterator(chunk_size=1000):
            if row.case_id in kept:
                row.pk, row.version = None, self.version  # type: ignore[assignment]
                copies.append(row)
            if len(copies) == 1000:
                DatasetRow.objects.bulk_create(copies, batch_size=500)
                copies.clear()
        DatasetRow.objects.bulk_create(copies, batch_size=500)


def _key(case: TestCase) -> Key:
    return case.id, case.system


def _content_key(case: TestCase) -> tuple[str, str, str]:
    return case.id, case.system, case.judged_hash()


def _known_rows(version: DatasetVersion | None) -> dict[Key, KnownRow]:
    if version is None:
        return {}
    rows = version.rows.values_list("case__external_id", "case__system", "case_id", "row_hash", "position")
    return {
        (name, system): KnownRow(case_id, row_hash, position)
        for name, system, case_id, row_hash, position in rows.iterator(chunk_size=5000)
    }


def _new_case(dataset: Dataset, case: TestCase, judged_hash: str) -> Case:
    values = {name: getattr(case, name) for name in JUDGED_FIELDS}
    return Case(dataset=dataset, external_id=case.id, system=case.system, judged_hash=judged_hash, **_plain(values))


def _new_row(version: DatasetVersion, case: Case, record: TestCase, row_hash: str, position: int) -> DatasetRow:
    return DatasetRow(
        version=version,
        case=case,
        position=position,
        row_hash=row_hash,
        language=record.language,
        group_id=record.group_id,
        tags=list(record.tags),
        metadata=dict(record.metadata),
        token_cost=record.token_cost,
        completion_time=record.completion_time,
    )


def _plain(values: dict[str, object]) -> dict[str, object]:
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}


def _version_hash(version: DatasetVersion) -> str:
    """Over the rows' own hashes in sorted order: the same cases in another order are the same version."""
    digest = hashlib.sha256()
    for row_hash in version.rows.order_by("row_hash").values_list("row_hash", flat=True).iterator(chunk_size=5000):
        digest.update(row_hash.encode())
    return digest.hexdigest()
