"""What does not fit a column is refused by line and field, never cut; times are times; columns have an end."""

from __future__ import annotations

import json
import time
import unicodedata

import pytest

from cases.importers import CaseFileError
from cases.importers.limits import LIMITS, MAX_UNITS, UNIT_LIMITS
from cases.importers.moments import moment_of
from cases.models import Case, DatasetRow
from evaluation.models import EvaluatorVersion
from labeling.models import Annotator, Label, UnitVerdict, Verdict
from tests.cases.importing import jsonl, read

CASE = {"id": "a", "input": "Q", "actual_output": "A"}

COLUMNS = {
    "id": [(Case, "external_id")],
    "system": [(Case, "system")],
    "language": [(DatasetRow, "language")],
    "group_id": [(DatasetRow, "group_id")],
    "metric": [(Verdict, "metric"), (UnitVerdict, "metric"), (EvaluatorVersion, "metric")],
    "annotator": [(Annotator, "name")],
    "failure_mode": [(Label, "failure_mode")],
    "judge": [(EvaluatorVersion, "judge")],
}


def most(model, name):
    return model._meta.get_field(name).max_length


def test_the_limits_are_those_of_the_columns_the_fields_go_to():
    assert {name: {most(*each) for each in where} for name, where in COLUMNS.items()} == {
        name: {limit} for name, limit in LIMITS.items()
    }
    assert {name: most(UnitVerdict, name) for name in UNIT_LIMITS} == UNIT_LIMITS


@pytest.mark.parametrize("field", ["id", "system", "language", "group_id"])
def test_a_name_of_a_case_that_is_too_long_is_refused_with_its_limit(write, field):
    fits, long = "x" * LIMITS[field], "x" * (LIMITS[field] + 1)
    records, refusals, _ = read(write(jsonl({**CASE, field: fits}, {**CASE, field: long})))
    assert [getattr(record.case, field) for record in records] == [fits]
    assert [(each.line, each.field) for each in refusals] == [(2, field)]
    assert refusals[0].reason == f"has {len(long)} letters; {len(fits)} fit"


def test_a_name_lifted_from_metadata_is_held_to_the_same_limit(write):
    records, refusals, _ = read(write(jsonl({**CASE, "metadata": {"model": "m" * 121}})))
    assert (records, refusals[0].field) == ([], "system")


@pytest.mark.parametrize("field", ["annotator", "metric", "failure_mode"])
def test_a_label_with_a_name_too_long_is_refused_alone(write, field):
    label = {"annotator": "alice", "verdict": "pass", field: "n" * (LIMITS[field] + 1)}
    path = write(jsonl({**CASE, "human": [{"annotator": "bob", "verdict": "fail"}, label]}))
    (record,), (refusal,), imported = read(path)
    assert [each.annotator for each in record.labels] == ["bob"]
    assert (refusal.line, refusal.field) == (1, f"human[1].{field}")
    assert refusal.reason == f"has {LIMITS[field] + 1} letters; {LIMITS[field]} fit"
    assert imported.report.refused_labels == 1


@pytest.mark.parametrize("field", ["judge", "metric"])
def test_a_score_with_a_name_too_long_is_refused_alone(write, field):
    score = {"judge": "j", "metric": "m", "score": 0.5, field: "n" * (LIMITS[field] + 1)}
    (record,), (refusal,), _ = read(write(jsonl({**CASE, "judge": [score]})))
    assert (record.scores, refusal.field) == ((), f"judge[0].{field}")


def test_the_annotator_of_a_table_is_held_to_the_limit_too(write):
    path = write(f"id,input,actual_output,human,annotator\na,Q,A,pass,{'n' * 121}\n")
    (record,), (refusal,), _ = read(path)
    assert (record.labels, refusal.line, refusal.field) == ((), 2, "annotator")
    assert refusal.reason == "has 121 letters; 120 fit"


@pytest.mark.parametrize("unit", [{"kind": "k" * 9, "verdict": "yes"}, {"text": "t", "verdict": "v" * 21}])
def test_claims_whose_words_do_not_fit_refuse_their_label(write, unit):
    label = {"annotator": "alice", "verdict": "pass", "claims": [unit]}
    (record,), (refusal,), _ = read(write(jsonl({**CASE, "human": [label]})))
    assert (record.labels, refusal.field) == ((), "human[0].claims")


def test_more_claims_than_a_column_can_count_refuse_their_label(write):
    label = {"annotator": "alice", "verdict": "pass", "claims": [{"verdict": "yes"}] * (MAX_UNITS + 1)}
    (record,), (refusal,), _ = read(write(jsonl({**CASE, "human": [label]})))
    assert (record.labels, refusal.reason) == ((), "has 32,768 entries; 32,767 fit")


def test_two_spellings_of_one_name_are_one_person(write):
    # Decomposed and composed: the second label says otherwise, and is refused, not put in the first one's place.
    name = "Zoë"
    labels = [
        {"annotator": unicodedata.normalize(form, name), "verdict": verdict}
        for form, verdict in (("NFC", "pass"), ("NFD", "fail"))
    ]
    (record,), (refusal,), _ = read(write(jsonl({**CASE, "human": labels})))
    assert [(each.annotator, each.verdict) for each in record.labels] == [(name, "pass")]
    assert refusal.field == "human[1]"


@pytest.mark.parametrize(
    "given", ["yesterday", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "1969-12-31", 1.5, 1700000000]
)
def test_a_time_that_is_none_is_refused_for_itself_and_the_label_stays(write, given):
    label = {"annotator": "alice", "verdict": "pass", "created_at": given}
    (record,), (refusal,), _ = read(write(jsonl({**CASE, "human": [label]})))
    assert [(each.verdict, each.created_at) for each in record.labels] == [("pass", "")]
    assert (refusal.line, refusal.field) == (1, "human[0].created_at")
    assert str(given) in refusal.reason
    assert record.case.metadata == {"refused": {"human[0]": str(given)}}


def test_a_time_in_a_column_that_is_none_stays_as_metadata(write):
    path = write("id,input,actual_output,human,created_at\na,Q,A,pass,yesterday\nb,Q,A,fail,2026-05-01\n")
    records, (refusal,), _ = read(path)
    assert [(each.labels[0].verdict, each.labels[0].created_at) for each in records] == [
        ("pass", ""),
        ("fail", "2026-05-01"),
    ]
    assert (refusal.line, refusal.field, records[0].case.metadata) == (2, "created_at", {"created_at": "yesterday"})


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-05-01T09:00:00+07:00", "2026-05-01T02:00:00+00:00"),
        ("2026-05-01 09:00:00 +07:00", "2026-05-01T02:00:00+00:00"),
        ("2026-5-1 9:00", "2026-05-01T09:00:00+00:00"),
        ("2026-05-01T09:00:00.5Z", "2026-05-01T09:00:00.500000+00:00"),
        ("1970-01-01T01:00:00+14:00", None),  # 1969 in UTC
        ("2200-12-31", "2200-12-31T00:00:00+00:00"),
        ("2201-01-01", None),
    ],
)
def test_times_are_kept_in_utc(text, moment):
    found = moment_of(text)
    assert (found and found.isoformat()) == moment


def test_a_table_of_a_hundred_thousand_columns_is_refused_at_once(write):
    path = write(",".join(f"c{n}" for n in range(100_000)) + "\n" + ",".join("1" * 100_000) + "\n")
    start = time.perf_counter()
    with pytest.raises(CaseFileError, match="100,000 columns; 2,000 are read"):
        read(path)
    assert time.perf_counter() - start < 5


def test_an_object_of_a_hundred_thousand_keys_with_one_twice_is_refused_at_once(write):
    text = json.dumps({f"k{n}": n for n in range(100_000)})[:-1] + ', "k99999": 1}\n'
    start = time.perf_counter()
    records, (refusal,), _ = read(write(text))
    assert (records, refusal.field) == ([], "k99999")
    assert time.perf_counter() - start < 5


def test_columns_that_share_a_name_are_all_kept(write):
    # The third is called "a" too, and "a (4)" is taken.
    (record,), _, _ = read(write("input,a,a (4),a\nQ,1,2,3\n"))
    assert sorted(record.case.metadata.values()) == ["1", "2", "3"]
