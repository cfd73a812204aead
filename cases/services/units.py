"""The units of a case: made once by rule when it is first sampled or shown, then shared by people and judges."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from cases.models import Case, DatasetRow, UnitKind, UnitSet
from cases.units import UNIT_RULE, split_claims, unit_hash

#: Chunks are units as they came: no rule splits them.
CHUNK_RULE = "as-retrieved"


def ensure_units(row: DatasetRow) -> dict[str, UnitSet]:
    """The row's unit sets by kind ("claim", "expected", "chunk"); a kind without text has none."""
    return ensure_units_of_many([row])[row.case_id]


def ensure_units_of_many(rows: Sequence[DatasetRow]) -> dict[int, dict[str, UnitSet]]:
    """Unit sets by case and kind, in a constant number of queries; what is missing is made."""
    wanted = {(row.case_id, kind): unit for row in rows for kind, unit in _by_rule(row)}
    found = _stored(wanted)
    missing = [unit for key, unit in wanted.items() if key not in found]
    if missing:
        # Two processes may make the same set at once: the constraint lets one win, then both read it.
        UnitSet.objects.bulk_create(missing, ignore_conflicts=True, batch_size=500)
        found = _stored(wanted)
    by_case: dict[int, dict[str, UnitSet]] = {row.case_id: {} for row in rows}
    for (case_id, kind), unit in found.items():
        by_case[case_id][kind] = unit
    return by_case


def _stored(wanted: dict[tuple[int, str], UnitSet]) -> dict[tuple[int, str], UnitSet]:
    hashes = {unit.hash for unit in wanted.values()}
    case_ids = {case_id for case_id, _ in wanted}
    stored = UnitSet.objects.filter(case_id__in=case_ids, hash__in=hashes)
    return {
        (unit.case_id, unit.kind): unit
        for unit in stored
        if (unit.case_id, unit.kind) in wanted and unit.hash == wanted[unit.case_id, unit.kind].hash
    }


def _by_rule(row: DatasetRow) -> Iterable[tuple[str, UnitSet]]:
    case = row.case
    for kind, text in ((UnitKind.CLAIM, case.actual_output), (UnitKind.EXPECTED, case.expected_output)):
        if text and text.strip():
            yield kind, _unit_set(case, kind, UNIT_RULE, split_claims(text, row.language))
    if case.retrieval_context:
        yield UnitKind.CHUNK, _unit_set(case, UnitKind.CHUNK, CHUNK_RULE, list(case.retrieval_context))


def _unit_set(case: Case, kind: str, source: str, texts: list[str]) -> UnitSet:
    return UnitSet(case=case, kind=kind, source=source, texts=texts, hash=unit_hash(kind, source, texts))
