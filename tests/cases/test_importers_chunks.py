"""h08 and its kin: a context cell in the shapes that tools write it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases.importers.chunks import python_list, read_cell
from tests.cases.importing import chunks, jsonl, read


def test_h08_six_cells_in_their_shapes(shared):
    path = shared / "cases/h08-context-in-four-shapes/contexts.csv"
    found = chunks(path, context_separator="|")
    assert {name: len(texts) for name, texts in found.items()} == {
        "c-1": 2,
        "c-2": 2,
        "c-3": 3,
        "c-4": 1,
        "c-5": 1,
        "c-6": 1,
    }
    assert found["c-2"] == ("First part", "it's the second")
    records, _, imported = read(path, context_separator="|")
    report = imported.report
    assert dict(report.context_shapes) == {
        "json list": 1,
        "python list": 1,
        "separated": 1,
        "plain text": 3,
    }
    assert [record.context_shape for record in records] == [
        "json list",
        "python list",
        "separated",
        "plain text",
        "plain text",
        "plain text",
    ]
    assert report.chunks == {"min": 1, "median": 1.5, "max": 3}


def test_nothing_is_split_by_a_separator_nobody_declared(shared):
    found = chunks(shared / "cases/h08-context-in-four-shapes/contexts.csv")
    assert found["c-3"] == ("one|two|three",)


@pytest.mark.parametrize(
    ("cell", "expected", "shape"),
    [
        ('["a", "b"]', ("a", "b"), "json list"),
        (' ["a",\n "b"] ', ("a", "b"), "json list"),
        ('["first", null]', ("first", ""), "json list"),
        ("[]", (), "json list"),
        ('["say \\"no\\"", "\\u0111"]', ('say "no"', "đ"), "json list"),
        ("['a', 'b']", ("a", "b"), "python list"),
        ("""['it\\'s', "it's", 'tab\\there']""", ("it's", "it's", "tab\there"), "python list"),
        (r"['\u0111\xe0 n\\n']", (r"đà n\n",), "python list"),
        ("['a',]", ("a",), "python list"),
    ],
)
def test_lists_of_texts(cell, expected, shape):
    assert read_cell(cell) == (expected, shape)


@pytest.mark.parametrize(
    "cell",
    [
        "[1] The article begins with a bracket",
        "[1]",
        "[1, 2]",
        "['x', open('never_opened')]",
        "[__import__('os').system('true')]",
        "['a' 'b']",  # numpy writes arrays so; where one ends is a guess
        "['a' + 'b']",
        "[f'{1}']",
        "['a', None]",
        '[["nested"]]',
        '[{"text": "a"}]',
        "['never closed]",
        "('a', 'b')",
        '{"a": 1}',
        "null",
        "None",
        "['\\x00']",  # a NUL no database keeps
        "[" * 10_000,
        "[" * 10_000 + "]" * 10_000,
    ],
)
def test_anything_else_is_one_chunk_as_it_stands(cell):
    assert read_cell(cell) == ((cell,), "plain text")


@pytest.mark.parametrize("cell", ["", "   ", "\n"])
def test_an_empty_cell_has_no_chunks(cell):
    assert read_cell(cell, "|") == (None, "empty")


@pytest.mark.parametrize(
    ("cell", "separator", "expected"),
    [
        ("one|two|three", "|", ("one", "two", "three")),
        ("one | two", "|", ("one ", " two")),  # letter for letter
        ("one\n---\ntwo", r"\n---\n", ("one", "two")),  # as typed in a shell
        ("one||two|", "|", ("one", "two")),
        ("a;b", ";", ("a", "b")),
        ("a", "|", ("a",)),
        ('["a|b"]', "|", ("a|b",)),
    ],
)
def test_a_declared_separator(cell, separator, expected):
    assert read_cell(cell, separator)[0] == expected


def test_no_file_is_opened_by_a_cell(write, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    target = tmp_path / "made_by_a_cell"
    cell = f"[open('{target}', 'w')]"
    assert chunks(write(f'id,input,actual_output,retrieval_context\na,Q,A,"{cell}"\n')) == {"a": (cell,)}
    assert not target.exists()


def test_contexts_in_json_keep_their_ranks(write):
    found = chunks(
        write(
            jsonl(
                {"id": "a", "input": "Q", "retrieval_context": ["one", None, "  "]},
                {"id": "b", "input": "Q", "retrieval_context": "plain"},
                {"id": "c", "input": "Q", "retrieval_context": json.dumps(["x", "y"])},
                {"id": "d", "input": "Q", "retrieval_context": None},
                {"id": "e", "input": "Q", "retrieval_context": []},
            )
        )
    )
    assert found == {"a": ("one", "", "  "), "b": ("plain",), "c": ("x", "y"), "d": None, "e": ()}


def test_a_chunk_that_is_no_text_refuses_its_row(write):
    path = write(jsonl({"id": "a", "input": "Q", "retrieval_context": ["one", {"text": "two"}]}))
    records, refusals, _ = read(path)
    assert records == []
    assert (refusals[0].field, refusals[0].reason) == (
        "retrieval_context",
        "chunk 2 is an object, not text",
    )


texts = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))


@given(st.lists(texts))
def test_every_python_list_of_texts_comes_back(items):
    assert python_list(repr(items)) == tuple(items)


@given(st.lists(texts))
def test_every_json_list_of_texts_comes_back(items):
    assert read_cell(json.dumps(items))[0] == tuple(items)


@given(st.text())
def test_no_cell_is_lost_or_raises(cell):
    found, shape = read_cell(cell, "|")
    assert (found is None) == (shape == "empty") == (not cell.strip())
    if shape == "plain text":
        assert found == (cell,)
