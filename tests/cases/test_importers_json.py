"""Canonical JSONL and JSON, DeepEval's datasets, and JSON that ends badly."""

from __future__ import annotations

import json

import pytest

from cases.importers import CaseFileError, json_reader
from cases.importers import jsonl as jsonl_format
from cases.importers.json_reader import JsonReader
from tests.cases.importing import answers, jsonl, read

ROWS = [{"id": name, "input": "Q", "actual_output": f"answer {name}"} for name in "abc"]
FOUND = {"a": "answer a", "b": "answer b", "c": "answer c"}


@pytest.mark.parametrize(
    ("text", "format_name"),
    [
        (jsonl(*ROWS), "jsonl"),
        ("\ufeff" + jsonl(*ROWS), "jsonl"),
        (jsonl(*ROWS).replace("\n", "\r\n\r\n"), "jsonl"),
        (jsonl(*ROWS).strip(), "jsonl"),
        (json.dumps(ROWS), "json"),
        (json.dumps(ROWS, indent=2), "json"),
        ("\ufeff\n" + json.dumps(ROWS), "json"),
        (json.dumps({"cases": ROWS}), "json"),
        (json.dumps({"name": "set", "cases": ROWS, "made": {"by": 1}}, indent=1), "json"),
        (json.dumps({"goldens": ROWS}), "deepeval"),
        (json.dumps({"testCases": ROWS}), "deepeval"),
    ],
)
def test_every_json_shape_gives_the_same_cases(write, text, format_name):
    path = write(text)
    assert answers(path) == FOUND
    assert read(path)[2].report.format == format_name


def test_a_format_can_be_asked_for_and_an_unknown_one_is_named(write):
    assert answers(write(json.dumps(ROWS)), format="json") == FOUND
    with pytest.raises(CaseFileError, match="The formats are jsonl, deepeval, json, csv"):
        read(write("{}"), format="xml")


def test_metadata_gives_group_language_system_and_history(write):
    history = [{"role": "user", "content": "Before"}]
    metadata = {"group_id": "g", "language": "vi", "model": "m", "history": history, "kept": 1}
    (record,), _, _ = read(write(jsonl({**ROWS[0], "metadata": metadata})))
    case = record.case
    assert (case.group_id, case.language, case.system, case.history) == ("g", "vi", "m", tuple(history))
    assert case.metadata == {"kept": 1}


def test_what_stands_at_the_top_goes_before_the_metadata(write):
    (record,), _, _ = read(write(jsonl({**ROWS[0], "system": "top", "metadata": {"model": "below"}})))
    assert (record.case.system, record.case.metadata) == ("top", {"model": "below"})


def test_no_value_is_lost_where_a_column_and_the_metadata_share_a_name(write):
    (record,), _, _ = read(write(jsonl({**ROWS[0], "x": 1, "metadata": {"x": 2}})))
    assert record.case.metadata == {"x": 2, "x (column)": 1}


def test_the_other_fields_of_a_case(write):
    row = {
        **ROWS[0],
        "context": ["ideal"],
        "tools_called": [{"name": "t"}],
        "expected_tools": [],
        "tags": ["new"],
        "token_cost": 12,
        "completion_time": "slow",
    }
    (record,), (refusal,), _ = read(write(jsonl(row)))
    case = record.case
    assert (case.context, case.tools_called, case.expected_tools) == (("ideal",), ({"name": "t"},), ())
    assert (case.tags, case.token_cost, case.completion_time) == (("new",), 12.0, None)
    assert (refusal.field, case.metadata) == ("completion_time", {"completion_time": "slow"})


def test_a_broken_line_costs_that_line_alone(write):
    text = jsonl(ROWS[0]) + '{"id": "b", "input": \n' + "[1, 2]\n" + "7\n\n" + jsonl(ROWS[2])
    records, refusals, imported = read(write(text))
    assert [(record.line, record.case.id) for record in records] == [(1, "a"), (6, "c")]
    assert [refusal.line for refusal in refusals] == [2, 3, 4]
    assert (imported.report.rows, imported.report.refused_rows) == (5, 3)


def test_a_broken_first_line_does_not_change_what_the_file_is(write):
    records, refusals, imported = read(write('{"id": "x", "in\n' + jsonl(*ROWS)))
    assert (imported.report.format, len(records), [refusal.line for refusal in refusals]) == ("jsonl", 3, [1])


def test_neither_question_nor_answer_is_refused_with_the_columns_seen(write):
    _, (refusal,), _ = read(write(jsonl({"trace": {}, "feedback": []})))
    assert refusal.reason == (
        "there is neither an input nor an answer; the columns trace, feedback are no fields; "
        "--map column=input would name one"
    )


def test_an_answer_without_a_question_is_kept(write):
    assert answers(write(jsonl({"id": "a", "input": None, "actual_output": "A"}))) == {"a": "A"}


@pytest.mark.parametrize("cut", [1, 5, 30])
def test_a_list_cut_short_gives_what_came_before(write, cut):
    records, refusals, _ = read(write(json.dumps(ROWS, indent=1)[:-cut]))
    assert [record.case.id for record in records] in (["a", "b"], ["a", "b", "c"])
    assert "nothing after it was read" in refusals[-1].reason


@pytest.mark.parametrize("text", ['{"input": \n"Q"}\n', '{"other": \n[]}', "{", '{"cases": \n 7}'])
def test_an_object_without_the_list_says_what_is_missing(write, text):
    with pytest.raises(CaseFileError, match=r"list 'cases'|no JSON"):
        read(write(text), format="json")


def test_text_after_the_list_is_named(write):
    _, (refusal,), _ = read(write(json.dumps(ROWS) + "\n" + json.dumps(ROWS)))
    assert (refusal.line, refusal.reason) == (2, "there is text after the end of the list; it was not read")


def test_refusals_in_a_list_name_the_item(write):
    records, (refusal,), _ = read(write(json.dumps([ROWS[0], "text", ROWS[1]])))
    assert (len(records), refusal.reason) == (2, "item 2: is no object with fields")


def test_deepeval_goldens_in_both_spellings(write):
    snake = {
        "input": "Q",
        "actual_output": "A",
        "expected_output": "E",
        "retrieval_context": ["one", "two"],
        "context": None,
        "name": "g-1",
        "comments": None,
        "additional_metadata": {"model": "m"},
        "source_file": "file.pdf",
    }
    camel = {
        "input": "Q",
        "actualOutput": "A",
        "expectedOutput": "E",
        "retrievalContext": ["one", "two"],
        "name": "g-1",
        "additionalMetadata": {"model": "m"},
        "sourceFile": "file.pdf",
    }
    cases = []
    for golden in (snake, camel):
        (record,), refusals, imported = read(write(json.dumps([golden])))
        assert (refusals, imported.report.format) == ([], "deepeval")
        cases.append(record.case)
    first, second = cases
    assert first.judged_hash() == second.judged_hash()
    assert (first.id, first.system, first.retrieval_context) == ("g-1", "m", ("one", "two"))
    assert (first.metadata, second.metadata) == ({"source_file": "file.pdf"}, {"sourceFile": "file.pdf"})


@pytest.mark.parametrize("size", [1, 2, 7, 64])
def test_a_list_read_in_small_blocks_is_the_same(size, monkeypatch):
    monkeypatch.setattr(json_reader, "_BLOCK", 1)
    text = ' [ {"a": "x\\u00e9\\n", "b": [1, 23, -4.5e3]},\n\n12345 , "end" , null ] '
    at = 0

    def read_block(wanted):
        nonlocal at
        block, at = text[at : at + size], min(at + size, len(text))
        return block

    reader = JsonReader(read_block)
    reader.expect("[")
    values = []
    while not reader.take("]"):
        values.append(reader.value())
        reader.take(",")
    assert values == json.loads(text)
    assert (reader.peek(), reader.line) == ("", 3)


def test_a_deeply_nested_row_is_refused_by_row(write):
    deep = "[" * 10_000 + "]" * 10_000
    lines = '{"id": "a", "input": "Q", "x": ' + deep + "}\n" + jsonl(ROWS[1])
    records, (refusal,), _ = read(write(lines))
    assert ([record.case.id for record in records], refusal.line) == (["b"], 1)
    assert "nested" in refusal.reason
    fifty = "[" * 60 + "]" * 60
    _, (refusal,), _ = read(write('{"id": "a", "input": "Q", "x": ' + fifty + "}\n"))
    assert refusal.reason == "nested more than 50 deep"


def test_a_deeply_nested_list_ends_with_a_sentence(write):
    _, refusals, _ = read(write("[" * 10_000 + "]" * 10_000))
    assert "nested too deeply" in refusals[0].reason


def test_a_line_beyond_the_limit_is_passed_over_unread(write, monkeypatch):
    from cases.importers import source

    monkeypatch.setattr(source.lines, "__defaults__", (100,))
    monkeypatch.setattr(jsonl_format, "MAX_ROW", 100)
    text = jsonl(ROWS[0], {"id": "long", "input": "x" * 350}, ROWS[2])
    records, (refusal,), _ = read(write(text))
    assert [(record.line, record.case.id) for record in records] == [(1, "a"), (3, "c")]
    assert (refusal.line, refusal.reason) == (2, "the line is longer than 100 characters")


def test_an_item_beyond_the_limit_ends_the_list_with_a_sentence(write, monkeypatch):
    monkeypatch.setattr(json_reader, "MAX_ROW", 70_000)
    records, (refusal,), _ = read(write(json.dumps([ROWS[0], {"id": "long", "input": "x" * 400_000}])))
    assert [record.case.id for record in records] == ["a"]
    assert "longer than 70,000 characters" in refusal.reason
