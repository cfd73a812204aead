"""Public data that nobody here made up comes in whole, and messy exports are refused by line."""

from __future__ import annotations

import json

import pytest

from cases.importers import CaseFileError, ImportOptions
from cases.importers.scan import scan


def test_mtrag_comes_in_whole(shared):
    found = scan(shared / "data/mtrag_human_dev.jsonl")
    records = list(found.records())
    assert (found.cases, found.refused, found.conflicts, found.warnings) == (195, [], [], [])
    assert len({record.case.group_id for record in records}) == 8
    assert {record.case.language for record in records} == {"en"}
    assert len({record.case.system for record in records}) > 1
    assert any(record.case.history for record in records)
    labels = [label for record in records for label in record.labels]
    scores = [score for record in records for score in record.scores]
    assert (len(labels), len({label.annotator for label in labels})) == (2319, 7)
    assert len({label.metric for label in labels}) == 4
    assert (len(scores), len({score.judge for score in scores})) == (780, 4)


@pytest.mark.parametrize(
    ("name", "cases", "labels", "scores", "refused"),
    [
        ("begin_wow_dev", 430, 430, 430, 0),
        ("ragchecker_pairs_dev", 134, 804, 402, 0),
        ("tofueval_meetingbank_nocontext", 267, 267, 0, 0),
        ("refchecker_claims_noinput", 147, 147, 0, 0),
        ("wikieval_judged_unlabelled", 100, 0, 200, 100),  # GPTScore is a log-probability, below 0
        ("xquad_vi_constructed", 84, 504, 168, 0),
    ],
)
def test_the_other_files(shared, name, cases, labels, scores, refused):
    found = scan(shared / f"data/{name}.jsonl")
    assert (found.cases, found.labels, found.scores, len(found.refused)) == (cases, labels, scores, refused)
    assert sum(1 for _ in found.records()) == cases


def test_missing_and_bad_fields_are_refused_by_line(shared):
    found = scan(shared / "data/messy/missing_and_bad_fields.jsonl")
    # 40 objects, a broken line and a list; the blank line is no row.
    assert (found.rows, found.report.refused_rows) == (42, 2)
    assert [(refusal.line, refusal.field) for refusal in found.refused] == [
        (7, "score"),
        (8, "score"),
        (9, "score"),
        (10, "score"),
        (26, ""),
        (32, ""),
    ]
    assert [each.lines for each in found.conflicts] == [(1, 11)]
    assert found.cases == 38  # 40 less the two rows of the conflict
    by_line = {record.line: record.case for record in found.records()}
    assert by_line[2].is_golden
    assert by_line[3].retrieval_context is None
    assert len(by_line[4].retrieval_context) == 1
    assert "<script>" in by_line[22].actual_output
    assert by_line[20].retrieval_context == ("", "", "  ")
    assert by_line[9].metadata["judge_score"] == 1.7


@pytest.mark.parametrize(
    ("name", "cases"),
    [
        ("excel_utf8_bom_newlines.csv", 60),
        ("vi_excel_semicolon_utf16.csv", 42),
        ("vi_nfd_decomposed.jsonl", 12),
        ("long_contexts.jsonl", 6),
        ("deepeval_dataset.json", 40),
        ("deepeval_dataset.csv", 40),
        ("deepeval_test_run.json", 40),
        ("ragas_result.csv", 40),
    ],
)
def test_messy_files_of_these_formats_lose_no_row(shared, name, cases):
    found = scan(shared / "data/messy" / name)
    assert (found.cases, found.report.refused_rows, found.conflicts) == (cases, 0, [])


def test_a_declared_separator_reads_the_vietnamese_spreadsheet(shared):
    path = shared / "data/messy/vi_excel_semicolon_utf16.csv"
    found = scan(path, ImportOptions(context_separator=r"\n---\n"))
    assert found.report.encoding == "utf-16"
    assert set(found.report.context_shapes) <= {"separated", "plain text"}
    assert found.report.chunks["max"] > 1


@pytest.mark.parametrize("name", ["nested_traces.jsonl", "langfuse_like_traces.jsonl", "langsmith_like_runs.json"])
def test_shapes_without_a_flat_question_are_refused_row_by_row_in_words(shared, name):
    found = scan(shared / "data/messy" / name)
    assert (found.cases, found.report.refused_rows, len(found.refused)) == (0, 40, 40)
    assert all(refusal.field and refusal.reason for refusal in found.refused)


def test_every_file_gives_a_preview_or_a_sentence(shared):
    for path in sorted([*(shared / "data").glob("*.jsonl"), *(shared / "data/messy").iterdir()]):
        try:
            found = scan(path)
        except CaseFileError as error:
            assert "labels import" in str(error)  # noqa: PT017 - some files may be read, others not
        else:
            json.dumps(found.as_dict(), allow_nan=False)
