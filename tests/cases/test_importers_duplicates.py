"""h10 and its kin: a case that stands in a file more than once."""

from __future__ import annotations

import pytest

from cases.importers import CaseFileError
from cases.importers.scan import scan
from tests.cases.importing import jsonl


def test_h10_duplicate_ids(shared):
    found = scan(shared / "cases/h10-duplicate-ids/dup.csv")
    assert found.distinct_ids == 3
    assert found.same_content == ["d-1", "d-2"]
    assert [(each.id, each.lines) for each in found.conflicts] == [("d-3", (5, 6))]
    # d-3 is a conflict: neither answer is stored, and nothing else is held back.
    assert [record.case.id for record in found.records()] == ["d-1", "d-2"]


def test_a_conflict_blocks_every_row_of_its_id_and_no_other(write):
    rows = [{"id": "a", "input": "Q", "actual_output": answer} for answer in ("one", "two", "one")]
    found = scan(write(jsonl(rows[0], {"id": "b", "input": "Q"}, rows[1], rows[2])))
    assert [(each.id, each.lines) for each in found.conflicts] == [("a", (1, 3, 4))]
    assert [record.case.id for record in found.records()] == ["b"]
    assert (found.rows, found.cases, found.distinct_ids) == (4, 1, 2)


def test_two_systems_answer_the_same_question(write):
    found = scan(write("id,system,actual_output\nq,v1,A\nq,v2,B\nq,v1,A\n"))
    assert (found.cases, found.conflicts, found.same_content) == (2, [], ["q"])


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("q-1", "  q-1\t"),
        ("q-1", "q-1\u00a0"),
        ("câu", "ca\u0302u"),  # composed and decomposed
    ],
)
def test_ids_that_differ_by_spaces_or_spelling_alone_are_one(write, first, second):
    found = scan(write(jsonl({"id": first, "input": "Q"}, {"id": second, "input": "Q"})))
    assert (found.cases, len(found.duplicates)) == (1, 1)


def test_a_golden_and_an_answer_under_one_id_are_a_conflict(write):
    found = scan(write(jsonl({"id": "a", "input": "Q"}, {"id": "a", "input": "Q", "actual_output": "A"})))
    assert [each.id for each in found.conflicts] == ["a"]


def test_group_and_metadata_do_not_make_another_case(write):
    rows = ({"id": "a", "input": "Q", "group_id": "g"}, {"id": "a", "input": "Q", "seen": "later"})
    found = scan(write(jsonl(*rows)))
    (record,) = found.records()
    assert (record.case.group_id, record.case.metadata) == ("g", {})


def test_one_row_for_each_annotator_loses_no_label(write):
    text = "id,input,actual_output,human,annotator\na,Q,A,pass,alice\na,Q,A,fail,bob\na,Q,A,fail,bob\n"
    found = scan(write(text))
    (record,) = found.records()
    assert [(label.annotator, label.verdict) for label in record.labels] == [("alice", "pass"), ("bob", "fail")]
    assert (found.labels, found.refused) == (2, [])


def test_an_annotator_who_says_both_is_refused_once(write):
    text = "id,input,actual_output,human\na,Q,A,pass\na,Q,A,fail\nb,Q,A,pass\n"
    found = scan(write(text))
    assert [label.verdict for record in found.records() for label in record.labels] == ["pass", "pass"]
    assert [(refusal.line, refusal.field) for refusal in found.refused] == [(3, "human")]
    assert found.labels == 2


def test_labels_of_a_conflict_are_not_counted_as_stored(write):
    text = "id,input,actual_output,human,score\na,Q,A,pass,0.5\na,Q,B,fail,0.5\nb,Q,C,pass,0.5\n"
    found = scan(write(text))
    assert (found.labels, found.scores) == (1, 1)
    assert found.as_dict()["labels"] == 1


def test_rows_without_an_id_get_the_same_id_for_the_same_content(write):
    text = "input,actual_output\nQ,A\nQ,B\nQ,A\n"
    found = scan(write(text))
    first, second = (record.case.id for record in found.records())
    assert (found.cases, len(found.duplicates), found.conflicts) == (2, 1, [])
    assert first.startswith("row-")
    assert first != second
    again = scan(write("input,actual_output,extra\nQ,B,x\n", name="other.csv"))
    assert [record.case.id for record in again.records()] == [second]


def test_a_file_that_changes_between_preview_and_storing_is_not_stored(write):
    path = write("id,input,actual_output\na,Q,A\n")
    found = scan(path)
    write("id,input,actual_output\na,Q,A\nb,Q,B\n")
    with pytest.raises(CaseFileError, match="changed"):
        list(found.records())
