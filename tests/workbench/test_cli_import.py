"""``workbench import`` and ``workbench sample`` as a person or a pipeline calls them."""

from __future__ import annotations

import json
import shlex
from collections import Counter

import pytest
from django.db.models import Count

from cases.models import Case, Dataset, DatasetRow
from cases.services import default_project
from tests.cast import imported, row, write_jsonl
from tests.workbench.test_services import workbench
from workbench.cli import main

pytestmark = pytest.mark.django_db


def run(capsys, *arguments) -> tuple[int, dict]:
    code = main([str(each) for each in (*arguments, "--json")])
    return code, json.loads(capsys.readouterr().out)


def test_a_spreadsheet_file_from_vietnam_is_read_as_it_was_saved(capsys, shared):
    # h07: byte-order mark, semicolons, CRLF, quoted line breaks.
    path = shared / "cases" / "h07-bom-semicolons-newlines" / "cases.csv"
    code, preview = run(capsys, "import", path, "--dataset", "h07", "--dry-run")
    assert (code, preview["rows"], preview["delimiter"], preview["created"]) == (0, 3, ";", 3)
    assert preview["columns"] == ["id", "input", "actual_output", "retrieval_context"]
    assert not Dataset.objects.exists()
    code, _ = run(capsys, "import", path, "--dataset", "h07")
    assert code == 0
    answers = dict(Case.objects.values_list("external_id", "actual_output"))
    assert "Mở lúc 8 giờ;" in answers["q-1"]
    assert len(answers["q-3"].splitlines()) == 3
    assert Case.objects.get(external_id="q-2").input == 'Is "express" faster?'
    assert answers["q-2"] == "Yes, by 2,5 days."


def test_contexts_in_four_shapes_are_told_apart_and_never_run(capsys, shared):
    # h08: a JSON list, a Python list, a separator, plain text, text that begins with a bracket, a call.
    path = shared / "cases" / "h08-context-in-four-shapes" / "contexts.csv"
    code, preview = run(capsys, "import", path, "--dataset", "h08", "--context-separator", "|")
    assert code == 0
    chunks = {case.external_id: case.retrieval_context for case in Case.objects.all()}
    assert {key: len(value) for key, value in chunks.items()} == {
        "c-1": 2,
        "c-2": 2,
        "c-3": 3,
        "c-4": 1,
        "c-5": 1,
        "c-6": 1,
    }
    assert chunks["c-2"] == ["First part", "it's the second"]
    assert chunks["c-6"] == ["['x', open('never_opened')]"]
    assert sum(preview["context_shapes"].values()) == 6
    assert preview["chunks"] == {"min": 1, "median": 1.5, "max": 3}


def test_words_that_look_missing_stay_words(capsys, shared):
    # h09: NA, None, null, nan, N/A and 007 are answers.
    path = shared / "cases" / "h09-words-that-look-missing" / "answers.csv"
    code, summary = run(capsys, "import", path, "--dataset", "h09")
    rows = DatasetRow.objects.order_by("position").values_list("case__actual_output", flat=True)
    assert (code, list(rows)) == (0, ["NA", "None", "null", "", "nan", "N/A", "007"])
    assert "1 case with an empty answer: line 5" in summary["warnings"]


def test_ids_given_twice_are_taken_once_and_conflicts_are_shown(capsys, shared):
    # h10: d-2 twice alike, d-3 twice unlike, " d-1 " is d-1.
    path = shared / "cases" / "h10-duplicate-ids" / "dup.csv"
    code, first = run(capsys, "import", path, "--dataset", "h10")
    assert (code, first["distinct_ids"], sorted(first["same_content"])) == (0, 3, ["d-1", "d-2"])
    assert [conflict["id"] for conflict in first["conflicts"]] == ["d-3"]
    assert set(Case.objects.values_list("external_id", flat=True)) == {"d-1", "d-2"}
    _, second = run(capsys, "import", path, "--dataset", "h10")
    assert (second["created"], second["updated"], second["unchanged"], second["version"]) == (0, 0, 2, 1)


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([row("a"), row("a"), row("a")], {"created": 1, "duplicates": 2, "conflicts": 0}),
        (
            [row("a"), row(" a ", input="Question a?"), row("a\t", input="Question a?")],
            {"created": 1, "duplicates": 2, "conflicts": 0},
        ),
        ([row("a", "1"), row("a", "2"), row("a", "1")], {"created": 0, "duplicates": 0, "conflicts": 1}),
        # Two systems may answer one question; they are two cases.
        ([row("a", "1", system="x"), row("a", "2", system="y")], {"created": 2, "duplicates": 0, "conflicts": 0}),
    ],
)
def test_variants_of_ids_given_twice(capsys, tmp_path, rows, expected):
    code, summary = run(capsys, "import", write_jsonl(tmp_path / "f.jsonl", rows), "--dataset", "d")
    found = {
        "created": summary["created"],
        "duplicates": summary["duplicates"],
        "conflicts": len(summary["conflicts"]),
    }
    if expected["conflicts"]:  # how the rows of a blocked id are counted is not the claim
        found["duplicates"] = expected["duplicates"]
    # Where every id is in conflict nothing can be stored: refused, the conflicts listed.
    assert (code, found) == (0 if expected["created"] else 1, expected)


def test_the_real_multi_turn_data_comes_in_whole(capsys, shared):
    code, summary = run(capsys, "import", shared / "data" / "mtrag_human_dev.jsonl", "--dataset", "mtrag")
    assert (code, summary["created"], summary["refused"]) == (0, 195, [])
    from evaluation.models import EvaluatorVersion
    from labeling.models import Label, Verdict

    assert Label.objects.values("annotator").distinct().count() == 7
    # Each case by 3 of the 7 for at least one metric; a few cases lack one person's grade for some metric.
    grades = Verdict.objects.filter(metric="faithfulness").values("label__case").annotate(n=Count("pk"))
    assert Counter(each["n"] for each in grades) == {3: 192, 2: 3}
    assert set(Verdict.objects.values_list("metric", flat=True).distinct()) == {
        "faithfulness",
        "completeness",
        "appropriateness",
        "naturalness",
    }
    assert EvaluatorVersion.objects.values("judge").distinct().count() == 4
    assert DatasetRow.objects.values("group_id").distinct().count() == 8


def test_strict_stores_nothing_and_exits_1(capsys, tmp_path):
    path = write_jsonl(tmp_path / "f.jsonl", [row("a"), {"id": "b"}])
    code, summary = run(capsys, "import", path, "--dataset", "d", "--strict")
    assert (code, summary["stored"], len(summary["refused"])) == (1, False, 1)
    assert not Dataset.objects.exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["import", "missing.jsonl", "--dataset", "d"], "cannot be opened"),
        (["import", "{file}", "--dataset", "d", "--format", "xlsx"], "is no format"),
        (["import", "{file}", "--dataset", "d", "--map", "question"], "--map question=input"),
        (["import", "{file}", "--dataset", "d", "--words", "good"], "--words good=pass,bad=fail"),
        (["import", "{file}", "--dataset", "d", "--project", "none"], "there is no project 'none'"),
        (["import", "{file}"], "--dataset"),
        (["sample", "none", "--name", "s", "--size", "1"], "there is no dataset 'none'"),
        (["nonsense"], "there is no command 'nonsense'"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line_and_exits_4(capsys, tmp_path, arguments, words):
    path = write_jsonl(tmp_path / "f.jsonl", [row("a")])
    code = main([each.replace("{file}", str(path)) for each in arguments])
    error = capsys.readouterr().err
    assert code == 4
    assert words in error
    assert len(error.strip().splitlines()) == 1


def test_a_sample_keeps_each_cases_probability(capsys, tmp_path):
    imported(default_project(), tmp_path, [row(str(i)) for i in range(10)])
    code, facts = run(capsys, "sample", "tea", "--name", "four", "--size", 4, "--seed", 7)
    assert (code, facts["cases"]) == (0, 4)
    # 4 of 10.
    assert [each["probability"] for each in facts["strata"]] == [0.4]


def test_the_same_seed_draws_the_same_cases(capsys, tmp_path):
    imported(default_project(), tmp_path, [row(str(i)) for i in range(30)])
    hashes = [
        run(capsys, "sample", "tea", "--name", name, "--size", 10, "--seed", seed)[1]["sample_hash"]
        for name, seed in (("a", 1), ("b", 1), ("c", 2))
    ]
    assert hashes[0] == hashes[1] != hashes[2]


def test_a_sample_larger_than_the_dataset_is_refused(capsys, tmp_path):
    imported(default_project(), tmp_path, [row("a")])
    assert main(["sample", "tea", "--name", "s", "--size", "5"]) == 4
    assert "1" in capsys.readouterr().err


HEAD = "id,input,actual_output,human,score\n"


def told(capsys, path, *options):
    assert main(["import", str(path), "--dataset", "my tea", *options]) == 0
    return capsys.readouterr().out.splitlines()


def written(path, text):
    path.write_text(text, encoding="utf-8")
    return path


def test_what_is_lost_is_said_before_any_detail(capsys, tmp_path):
    # b-1 stands on lines 3 and 4 alike; "good" is no label word on lines 2, 3 and 4.
    text = HEAD + "a-1,Q,A,good,0.5\nb-1,Q,A,good,0.25\nb-1,Q,A,good,0.25\n"
    lines = told(capsys, written(tmp_path / "f.csv", text))
    assert lines[:4] == [
        "Stored in my tea version 1: 2 cases, 0 of 3 labels, 2 scores.",
        "Of the cases 2 are new, 0 changed, 0 unchanged.",
        "Not taken: 3 labels.",
        "Given more than once, taken once: b-1 on lines 3 and 4.",
    ]
    refused = [line.strip() for line in lines if "Refused" in line]
    assert refused == [
        """Refused, human: 'good' is no verdict: lines 2, 3 and 4; --words "good=pass" would read it""",
    ]


def test_the_next_command_names_what_was_stored_and_works(capsys, tmp_path):
    rows = "".join(f"c{i},Q,A{i},{'pass' if i % 2 else 'fail'},0.{i}\n" for i in range(1, 9))
    *_, last = told(capsys, written(tmp_path / "f.csv", HEAD + rows))
    assert last == "Next: workbench calibrate 'my tea' --metric overall --judge imported"
    assert main(shlex.split(last.removeprefix("Next: workbench "))) == 0


def test_the_next_command_for_grades_brings_a_rule(capsys, tmp_path):
    text = HEAD + "a,Q,A,1,0.5\nb,Q,B,5,0.25\n"
    *_, last = told(capsys, written(tmp_path / "f.csv", text), "--map", "human=grade")
    assert last.endswith('--judge imported --rule "median>=4"')
    assert main(shlex.split(last.removeprefix("Next: workbench "))) == 0


def test_no_next_command_where_there_is_nothing_to_calibrate(capsys, tmp_path):
    lines = told(capsys, written(tmp_path / "f.csv", HEAD + "a,Q,A,pass,\n"))
    assert not any(line.startswith("Next") for line in lines)


def test_a_table_of_verdicts_is_answered_by_a_command_that_reads_it(capsys, tmp_path):
    path = written(tmp_path / "my verdicts.csv", "case_id,human,score\na,pass,0.75\nb,fail,0.25\n")
    assert main(["import", str(path), "--dataset", "d"]) == 4
    error = capsys.readouterr().err.strip()
    command = error.split("is read as it is by: workbench ")[1]
    assert main(shlex.split(command)) == 0


def test_decimal_commas_are_read_when_asked(capsys, tmp_path):
    path = written(tmp_path / "f.csv", HEAD + 'a,Q,A,pass,"0,62"\n')
    assert "Not taken: 1 score." in told(capsys, path, "--dry-run")
    assert "  Numbers are read with a decimal comma: 0,62 is 0.62" in told(capsys, path, "--decimal", ",", "--dry-run")


@pytest.mark.postgres
def test_what_does_not_fit_is_refused_alike_on_both_databases(postgres_database, tmp_path):
    long = {"id": 256, "system": 121, "language": 17, "group_id": 256}
    rows = [row("a", language="l" * 16, system="s" * 120, group_id="g" * 255), row("b", human=[_label()])]
    rows += [row("c") | {field: "x" * length} for field, length in long.items()]
    rows += [
        row(f"l-{field}", human=[_label() | {field: "x" * 161}]) for field in ("annotator", "metric", "failure_mode")
    ]
    rows += [row(f"s-{field}", judge=[{"judge": "j", "score": 0.5, field: "x" * 161}]) for field in ("judge", "metric")]
    rows += [row("t", human=[_label() | {"created_at": "0001-01-01T00:00:00+14:00"}])]
    path, told = write_jsonl(tmp_path / "rows.jsonl", rows), []
    for place, more in (("lite", {}), ("post", {"DATABASE_URL": postgres_database})):
        home = tmp_path / place
        home.mkdir()
        assert workbench("migrate", "--quiet", home=home, **more).returncode == 0
        done = workbench("import", str(path), "--dataset", "n" * 120, "--json", home=home, **more)
        assert (done.returncode, done.stderr) == (0, "")
        told.append(json.loads(done.stdout))
        # The whole dataset as a sample has the longest of all names.
        opened = workbench("calibrate", "n" * 120, "--metric", "overall", home=home, **more)
        assert "Traceback" not in opened.stderr
    # Two cases that fit, five with a label or score refused alone, one whose label has no time.
    assert (told[0]["created"], len(told[0]["refused"]), told[0]["stored_labels"]) == (8, 10, 2)
    assert told[0] == told[1]


def _label():
    return {"annotator": "alice", "metric": "overall", "verdict": "pass"}
