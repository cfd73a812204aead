"""What a person must see before anything is stored: what is lost, said once for all the lines it happens on."""

from __future__ import annotations

import pytest

from cases.importers import CaseFileError
from cases.importers.refusals import grouped
from cases.importers.scan import scan
from tests.cases.importing import jsonl

HEAD = "id,input,actual_output,human,score\n"


def test_an_answer_to_an_empty_question_is_kept_and_said(write):
    found = scan(write("id,input,actual_output\na,Q,A\nb,,A\nc, ,A\n"))
    assert found.cases == 3
    assert "2 rows with an answer but an empty question: lines 3 and 4" in found.warnings


def test_a_file_without_any_question_gives_one_counted_warning(write):
    rows = [{"id": str(i), "input": None, "actual_output": "A"} for i in range(12)]
    found = scan(write(jsonl(*rows)))
    assert found.warnings == ["12 rows with an answer but an empty question: lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 ..."]


def test_rows_given_twice_are_named_by_their_lines(write):
    found = scan(write(HEAD + "own-11,Q,A,pass,1\nb,Q,A,pass,1\nown-11,Q,A,pass,1\n"))
    document = found.as_dict()
    assert (document["duplicates"], document["duplicate_lines"]) == (1, [{"id": "own-11", "lines": [2, 4]}])


def test_the_preview_shows_each_case_once_as_it_was_read(write):
    text = "id,input,actual_output,retrieval_context,human,score\n"
    text += 'a,Q,A,"[""x"", ""y""]",pass,0.62\na,Q,A,"[""x"", ""y""]",pass,0.62\nb,Q2,,,nonsense,7\n'
    first, second = scan(write(text)).as_dict()["first_cases"]
    assert (first["id"], first["line"], first["also_on"]) == ("a", 2, [3])
    assert (first["question"], first["answer"], first["shape"], first["chunks"]) == ("Q", "A", "json list", 2)
    assert [label["verdict"] for label in first["labels"]] == ["pass"]
    assert [score["score"] for score in first["scores"]] == [0.62]
    assert (second["answer"], second["labels"], second["scores"]) == ("", [], [])


def test_the_preview_leaves_out_what_is_not_stored(write):
    found = scan(write("id,input,actual_output\na,Q,A\na,Q,B\nb,Q,A\n"))
    assert [row["id"] for row in found.as_dict()["first_cases"]] == ["b"]


def test_a_long_answer_is_clipped_in_the_preview_only(write):
    found = scan(write(f"id,input,actual_output\na,Q,{'x' * 5000}\n"))
    (row,) = found.as_dict()["first_cases"]
    assert (len(row["answer"]), row["answer"][-1]) == (200, "…")
    assert [len(record.case.actual_output) for record in found.records()] == [5000]


def test_refusals_for_one_reason_are_told_once(write):
    found = scan(write(HEAD + "a,Q,A,good,1\nb,Q,A,bad,1\nc,Q,A,good,1\nd,Q,A,good,1\n"))
    good, bad = grouped(found.refused)
    assert str(good) == """human: 'good' is no verdict: lines 2, 4 and 5; --words "good=pass" would read it"""
    assert (bad.count, bad.lines) == (1, [3])
    # JSON keeps every one.
    assert len(found.as_dict()["refused"]) == 4


def test_entries_of_lists_are_told_together_whatever_their_place(write):
    rows = [{"id": str(i), "input": "Q", "human": [{"verdict": "pass"}] * i + [{"verdict": "meh"}]} for i in (0, 1)]
    (group,) = [each for each in grouped(scan(write(jsonl(*rows))).refused) if "meh" in each.problem]
    assert (group.field, group.lines) == ("human.verdict", [1, 2])


def test_what_is_lost_is_counted_beside_what_comes_in(write):
    # 4 rows: "good" twice is no label; c is in conflict with itself and takes 2 labels and 2 scores along.
    text = HEAD + "a,Q,A,good,1\nb,Q,A,good,0.5\nc,Q,A,pass,1\nc,Q,B,pass,1\n,,,pass,1\n"
    found = scan(write(text))
    assert (found.cases, found.labels, found.scores) == (2, 0, 2)
    assert found.lost == {"cases": 2, "labels": 4, "scores": 2}


def test_a_label_said_twice_alike_is_no_loss(write):
    found = scan(write(HEAD + "a,Q,A,pass,1\na,Q,A,pass,1\n"))
    assert (found.labels, found.scores, found.lost) == (1, 1, {"cases": 0, "labels": 0, "scores": 0})


def test_a_label_contradicted_by_a_later_row_is_a_loss(write):
    found = scan(write(HEAD + "a,Q,A,pass,1\na,Q,A,fail,1\n"))
    assert (found.labels, found.lost["labels"]) == (1, 1)


def test_a_table_of_verdicts_and_scores_is_sent_to_calibrate(write):
    with pytest.raises(CaseFileError, match="workbench calibrate FILE") as error:
        scan(write("case_id,human,score\na,pass,0.5\n"))
    assert "--map" not in str(error.value)


def test_a_page_can_say_what_is_wrong_without_the_command_lines_options(write):
    found = scan(write(HEAD + "a,Q,A,good,1\n"))
    (refusal,) = found.refused
    assert (refusal.problem, refusal.hint.kind, refusal.hint.fill) == ("'good' is no verdict", "words", "good=pass")
    assert [remark.hint.kind for remark in found.remarks() if remark.hint] == ["words"]
    assert not any("--" in remark.problem for remark in found.remarks())
    with pytest.raises(CaseFileError) as error:
        scan(write("ask,reply\nQ,A\n"))
    assert ("--" in error.value.problem, error.value.hint.kind, error.value.hint.fill) == (
        False,
        "columns",
        "ask=input",
    )
