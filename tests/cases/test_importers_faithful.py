"""h09 and its kin: text stays as it was written, whatever it looks like."""

from __future__ import annotations

import csv
import io
import json
import tempfile
from dataclasses import asdict
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cases.importers import FIELDS, CaseFileError, ImportOptions
from cases.importers.safety import value_flaw
from cases.importers.scan import scan
from cases.records import canonical_json
from tests.cases.importing import answers, jsonl, read


def test_h09_words_that_look_missing(shared):
    path = shared / "cases/h09-words-that-look-missing/answers.csv"
    assert list(answers(path).values()) == ["NA", "None", "null", "", "nan", "N/A", "007"]
    assert scan(path).warnings == ["1 case with an empty answer: line 5"]


@pytest.mark.parametrize(
    "word",
    [
        "NA",
        "NaN",
        "None",
        "null",
        "nan",
        "N/A",
        "#N/A",
        "NULL",
        "-",
        "007",
        "1e5",
        "1.50",
        "True",
        "TRUE",
        "0x1F",
        "1_000",
        "1,5",
        "2024-01-02",
        "=1+1",
        "'quoted",
        " spaced ",
        "-0",
        "∞",
        "inf",
        "\u200b",
        "[]",
    ],
)
def test_a_word_is_kept_in_every_format(write, word):
    quoted = '"' + word + '"'
    assert answers(write(f"id,input,actual_output\na,Q,{quoted}\n")) == {"a": word}
    assert answers(write(f"id;input;actual_output\na;Q;{quoted}\n", encoding="utf-16")) == {"a": word}
    assert answers(write(jsonl({"id": "a", "input": "Q", "actual_output": word}))) == {"a": word}
    assert answers(write(json.dumps([{"id": "a", "input": "Q", "actual_output": word}]))) == {"a": word}


def test_ids_keep_their_zeros(write):
    assert list(answers(write("id,input,actual_output\n007,Q,A\n1e5,Q,B\n"))) == ["007", "1e5"]
    assert list(answers(write('{"id": 7, "input": "Q"}\n'))) == ["7"]


def test_null_is_a_golden_and_empty_is_an_empty_answer(write):
    rows = [{"id": name, "input": "Q"} for name in "abcd"]
    rows[1]["actual_output"] = None
    rows[2]["actual_output"] = ""
    rows[3]["actual_output"] = " \n"
    path = write(jsonl(*rows))
    assert answers(path) == {"a": None, "b": None, "c": "", "d": " \n"}
    assert scan(path).warnings == [
        "2 cases with an empty answer: lines 3 and 4",
        "2 rows without an answer: goldens",
    ]


def test_a_number_where_text_belongs_is_kept_by_its_digits_or_refused(write):
    path = write(
        '{"id": "a", "input": "Q", "actual_output": 42}\n'
        '{"id": "b", "input": "Q", "actual_output": 1.50}\n'
        '{"id": "c", "input": "Q", "actual_output": true}\n'
        '{"id": "d", "input": "Q", "actual_output": ["x"]}\n'
    )
    records, refusals, _ = read(path)
    assert [record.case.actual_output for record in records] == ["42"]
    # 1.50 would come back as 1.5: better said than changed.
    assert [(refusal.line, refusal.reason) for refusal in refusals] == [
        (2, "is the number 1.5, not text"),
        (3, "is true or false, not text"),
        (4, "is a list, not text"),
    ]


def test_decomposed_vietnamese_is_stored_as_it_came_and_compared_composed(write):
    decomposed, composed = "Đa\u0323t", "Đạt"
    first = read(write(jsonl({"id": "a", "input": decomposed})))[0][0].case
    second = read(write(jsonl({"id": "a", "input": composed})))[0][0].case
    assert (first.input, second.input) == (decomposed, composed)
    assert first.judged_hash() == second.judged_hash()


def test_what_no_database_keeps_is_refused_by_row(write):
    path = write(
        '{"id": "a", "input": "nul \\u0000 inside"}\n'
        '{"id": "b", "input": "half \\ud83d a face"}\n'
        '{"id": "c", "input": "whole \\ud83d\\ude00 face"}\n'
        '{"id": "d", "input": "Q", "metadata": {"deep": ["\\u0000"]}}\n'
    )
    records, refusals, _ = read(path)
    assert [record.case.input for record in records] == ["whole 😀 face"]
    assert [(refusal.line, refusal.field) for refusal in refusals] == [(1, "input"), (2, "input"), (4, "metadata")]


def test_a_key_that_stands_twice_is_refused_rather_than_half_lost(write):
    records, refusals, _ = read(write('{"id": "a", "input": "one", "input": "two"}\n{"id": "b", "input": "Q"}\n'))
    assert [record.case.id for record in records] == ["b"]
    assert refusals[0].reason == "the key 'input' stands twice in this row"


def test_numbers_that_json_does_not_have_stay_words(write):
    path = write(
        '{"id": "a", "input": "Q", "metadata": {"x": NaN, "y": -Infinity, "z": 1e999}, "w": ' + "9" * 5000 + "}\n"
    )
    (record,), _, _ = read(path)
    assert record.case.metadata == {"x": "NaN", "y": "-Infinity", "z": "1e999", "w": "9" * 5000}
    assert len(record.case.row_hash()) == 64


# Text that a cell can hold: no NUL and no half characters, which are refused by row.
cell = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=60)


@given(
    rows=st.lists(st.tuples(cell.filter(str.strip), cell, cell), min_size=1, max_size=5),
    delimiter=st.sampled_from([",", ";", "\t", "|"]),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
)
@settings(max_examples=150, deadline=None)
def test_text_written_as_csv_comes_back_letter_for_letter(rows, delimiter, encoding):
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, delimiter=delimiter)
    writer.writerow(["id", "input", "actual_output", "note_of_mine"])
    for number, row in enumerate(rows):
        writer.writerow([f"r{number}", *row])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file.csv"
        path.write_bytes(stream.getvalue().encode(encoding))
        records, refusals, _ = read(path)
    assert refusals == []
    found = [(r.case.input, r.case.actual_output, r.case.metadata["note_of_mine"]) for r in records]
    assert found == rows


@given(st.binary(max_size=400), st.booleans())
@settings(max_examples=300, deadline=None)
def test_no_bytes_raise_anything_but_a_case_file_error(content, with_header):
    header = b"id,input,actual_output,retrieval_context,human,score\n" if with_header else b""
    _survives(header + content)


json_text = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
fields = st.sampled_from([*FIELDS, "label", "judge_score", "x"])
entry = st.dictionaries(
    st.sampled_from(["annotator", "judge", "metric", "verdict", "grade", "scale", "score", "claims", "error", "flags"]),
    json_text,
)


@given(
    st.lists(st.dictionaries(fields, json_text | st.lists(entry, max_size=2)), max_size=4),
    st.sampled_from(["lines", "list", "object"]),
    st.integers(0, 400),
)
@settings(max_examples=300, deadline=None)
def test_no_json_of_any_shape_raises_anything_but_a_case_file_error(rows, shape, cut):
    text = {
        "lines": "\n".join(map(json.dumps, rows)),
        "list": json.dumps(rows),
        "object": json.dumps({"cases": rows, "name": "x"}),
    }[shape]
    _survives(text.encode("utf-8", "replace"))
    _survives(text.encode("utf-8", "replace")[:cut])


def _survives(content: bytes) -> None:
    """The preview either works, to the last byte of its JSON, or says what is wrong with the file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        path.write_bytes(content)
        try:
            found = scan(path, ImportOptions(context_separator="|"))
        except CaseFileError:
            return
        records = list(found.records())
        assert len(records) == found.cases
        assert value_flaw(json.loads(canonical_json([asdict(record) for record in records]))) is None
        assert value_flaw(found.as_dict()) is None
        json.dumps(found.as_dict(), allow_nan=False)
