"""``calibrate`` and ``agreement`` from the shell: the numbers, what is refused, what is written."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from cases.importers import ImportOptions
from cases.services import default_project, import_file
from tests.calibration.judged import METRIC, as_csv, judged
from workbench.cli import main

GAP = [(0, 0.2), (1, 0.6), (1, 0.9)]


def printed(capsys):
    return json.loads(capsys.readouterr().out)


@pytest.mark.django_db
def test_mtrag_costs_46_on_exactly_two_ranges(shared, capsys):
    path = shared / "data" / "mtrag_human_dev.jsonl"
    import_file(project=default_project(), dataset_name="mtrag", path=path, options=ImportOptions())
    asked = ["--judge", "ragas-faithfulness(RL-F)", "--rule", "median>=3"]
    costs = ["--cost-false-pass", "5", "--cost-false-fail", "1"]
    assert main(["calibrate", "mtrag", "--metric", "faithfulness", *asked, *costs, "--json"]) == 0
    document = printed(capsys)
    first, second = document["optimal_intervals"]
    assert (first["low"], first["high"]) == (round(5 / 9, 9), round(4 / 7, 9))
    assert (second["low"], second["high"]) == (0.6, 0.625)
    assert [each["cost_total"] for each in (first, second)] == [46, 46]
    assert counts(first) == ((6, 45), (16, 150))
    assert counts(second) == ((5, 45), (21, 150))
    assert 0.6 < document["recommended_threshold"] <= 0.625
    assert counts(document["at_half"]) == ((12, 45), (13, 150))
    assert document["at_half"]["cost_total"] == 73  # 5 * 12 + 13
    assert any("8 conversations are too few for an interval" in text for text in document["warnings"])
    assert document["at_recommended"]["false_pass_rate"]["low"] is None
    assert document["calibration"] == "faithfulness-1"


def counts(at):
    return tuple((at[name]["count"], at[name]["of"]) for name in ("false_pass_rate", "false_fail_rate"))


def test_a_table_needs_no_database_and_no_django(tmp_path):
    table = as_csv(tmp_path, GAP)
    script = "import sys; from workbench.cli import main; sys.exit(main(sys.argv[1:]) or 'django' in sys.modules)"
    command = [sys.executable, "-c", script, "calibrate", str(table), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=Path(__file__).parents[2], check=False)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert document["recommended_threshold"] == 0.4
    assert document["calibration"] is None
    assert document["warnings"][0].startswith("The costs are not stated")


def test_people_read_a_sentence_first_and_what_to_do_next_last(tmp_path, capsys):
    assert main(["calibrate", str(as_csv(tmp_path, GAP)), "--cost-false-pass", "5", "--cost-false-fail", "1"]) == 0
    lines = capsys.readouterr().out.strip().splitlines()
    assert lines[0].startswith("At 0.4 this judge catches 1 of 1 bad answers")
    assert "wrongly stops 0 of 2 good ones" in lines[0]
    assert lines[-1].startswith("Next: ")


def test_the_command_line_names_the_flag_that_answers_a_doubt(tmp_path, capsys):
    assert main(["calibrate", str(as_csv(tmp_path, GAP))]) == 0
    said = capsys.readouterr().out
    assert "Say what they cost. For example: --cost-false-pass 5 --cost-false-fail 1." in said
    assert "they were imported. --labels-blind asserts it, on record." in said


def test_h15_a_judge_of_one_value_is_refused_in_words_and_writes_no_config(shared, tmp_path, capsys):
    table = shared / "cases" / "h15-judge-that-passes-everything" / "scores.csv"
    target = tmp_path / "config.json"
    assert main(["calibrate", str(table), "--json"]) == 0
    document = printed(capsys)
    assert document["recommended_threshold"] is None
    caught = document["headline"]["fails_caught"]
    assert (caught["count"], caught["of"], round(caught["high"], 4)) == (0, 4, 0.4899)
    assert document["headline"]["passes_kept"]["count"] == document["headline"]["passes_kept"]["of"] == 36
    assert (document["agreement"]["raw"]["value"], document["agreement"]["kappa"]["value"]) == (0.9, 0.0)
    assert main(["calibrate", str(table), "--export", str(target)]) == 1
    assert not target.exists()
    assert "score takes one value" in capsys.readouterr().out


def test_h14_a_score_at_the_threshold_passes(shared, capsys):
    table = shared / "cases" / "h14-many-scores-exactly-at-the-threshold" / "scores.csv"
    assert main(["calibrate", str(table), "--cost-false-pass=5", "--cost-false-fail=1", "--json"]) == 0
    document = printed(capsys)
    (only,) = document["optimal_intervals"]
    assert (only["low"], only["high"], only["cost_total"]) == (0.8, 1.0, 10)
    assert document["at_recommended"]["counts"] == {
        "true_pass": 6, "false_pass": 1, "false_fail": 5, "true_fail": 8
    }  # fmt: skip


def test_report_and_export_are_written_beside_the_answer(tmp_path, capsys):
    report, config = tmp_path / "report.txt", tmp_path / "config.json"
    asked = ["--report", str(report), "--export", str(config), "--judge-name", "gpt-x", "--judge-version", "3"]
    assert main(["calibrate", str(as_csv(tmp_path, GAP)), *asked, "--json"]) == 0
    assert "Recommended threshold: 0.4" in report.read_text()
    gate = json.loads(config.read_text())["metrics"][0]
    assert (gate["threshold"], gate["evaluator"]["judge"], gate["evaluator"]["judge_version"]) == (0.4, "gpt-x", "3")


def test_words_it_cannot_read_are_answered_with_the_flag_that_reads_them(tmp_path, capsys):
    table = tmp_path / "words.csv"
    table.write_text("case_id,human,score\na,good,0.9\nb,bad,0.1\n")
    assert main(["calibrate", str(table)]) == 4
    assert "--words bad=fail,good=pass" in capsys.readouterr().err
    assert main(["calibrate", str(table), "--words", "good=pass,bad=fail", "--json"]) == 0


def test_a_missing_table_and_table_options_for_a_sample_are_bad_input(tmp_path, capsys):
    assert main(["calibrate", str(tmp_path / "none.csv")]) == 4
    assert main(["calibrate", "sample", "--judge-name", "x"]) == 4
    assert "--judge-name: only for a table" in capsys.readouterr().err


@pytest.mark.django_db
def test_no_freeze_keeps_nothing(tmp_path, capsys):
    judged(default_project(), tmp_path, GAP)
    assert main(["calibrate", "tea", "--no-freeze", "--json"]) == 0
    assert printed(capsys)["calibration"] is None
    assert default_project().calibrations.count() == 0


@pytest.mark.django_db
def test_what_was_frozen_is_named_and_nothing_is_frozen_without_a_recommendation(tmp_path, capsys):
    judged(default_project(), tmp_path, GAP)
    assert main(["calibrate", "tea"]) == 0
    assert "Frozen as faithfulness-1." in capsys.readouterr().out.splitlines()
    judged(default_project(), tmp_path, [(1, 0.6), (1, 0.9)], "milk")
    assert main(["calibrate", "milk"]) == 0
    said = capsys.readouterr().out
    assert "Not frozen: without a recommended threshold there is nothing to keep." in said
    assert default_project().calibrations.count() == 1
    assert main(["calibrate", "milk", "--json"]) == 0
    assert printed(capsys)["calibration"] is None


def test_a_side_that_people_never_took_is_told_in_a_sentence_of_its_own(tmp_path, capsys):
    assert main(["calibrate", str(as_csv(tmp_path, [(1, 0.6)])), "--cost-false-pass", "1"]) == 0
    first = capsys.readouterr().out.splitlines()[0]
    assert first.endswith(
        "At 0.5 this judge wrongly stops 0 of 1 good ones (0-79 %). People failed no answer, so it is unknown how many "
        "it catches."
    )


def test_nothing_to_export_is_said_with_its_reason_once(tmp_path, capsys):
    table = str(as_csv(tmp_path, [(1, 0.6), (1, 0.9)]))
    assert main(["calibrate", table, "--export", str(tmp_path / "config.json")]) == 1
    assert capsys.readouterr().err.strip() == (
        "workbench: There is nothing to export. No threshold is recommended: people gave only one verdict, so only one "
        "kind of error can be seen."
    )


def test_a_table_of_another_scale_is_bad_input(tmp_path, capsys):
    assert main(["calibrate", str(as_csv(tmp_path, [(0, 45.0), (1, 1.0), (1, 87.0)]))]) == 4
    assert "such as 45 and 87: 2 of its 3 numbers lie outside 0 to 1" in capsys.readouterr().err


def test_agreement_of_one_annotator_says_what_it_takes(tmp_path, capsys):
    table = tmp_path / "labels.csv"
    table.write_text("case_id,annotator,label\na,alice,fail\nb,alice,pass\n")
    assert main(["agreement", str(table)]) == 0
    said = capsys.readouterr().out
    assert "raw agreement: One annotator: agreement needs two labels on a case. (0 cases" in said
    assert "two raters" not in said
    assert "no case was failed" not in said
    assert "alice: no case that another labeled too" in said


@pytest.mark.django_db
def test_what_was_frozen_is_exported_by_its_name(tmp_path, capsys):
    judged(default_project(), tmp_path, GAP)
    assert main(["calibrate", "tea", "--json"]) == 0
    assert main(["export", printed(capsys)["calibration"], "--format", "json"]) == 0
    assert printed(capsys)["metrics"][0]["threshold"] == 0.4


@pytest.mark.django_db
def test_an_unknown_sample_and_an_unreadable_rule_are_bad_input(tmp_path, capsys):
    judged(default_project(), tmp_path, GAP)
    assert main(["calibrate", "coffee"]) == 4
    assert "Datasets: tea" in capsys.readouterr().err
    assert main(["calibrate", "tea", "--rule", "loudest"]) == 4
    assert "The rules are" in capsys.readouterr().err


def test_h13_agreement_is_high_and_kappa_low_and_it_says_why(shared, capsys):
    table = shared / "cases" / "h13-high-agreement-low-kappa" / "labels.csv"
    assert main(["agreement", str(table), "--json"]) == 0
    found = printed(capsys)
    assert (found["raw"]["value"], round(found["kappa"]["value"], 4), round(found["ac1"]["value"], 4)) == (
        0.94, -0.0274, 0.9363
    )  # fmt: skip
    assert "no case was failed by both" in found["explanation"]


def test_h11_one_label_leaves_kappa_and_alpha_undefined_in_words(shared, capsys):
    table = shared / "cases" / "h11-everyone-says-pass" / "labels.csv"
    assert main(["agreement", str(table), "--judge-annotator", "judge", "--json"]) == 0
    found = printed(capsys)["judge"][0]
    assert found["raw"]["value"] == 1.0
    assert (found["kappa"]["value"], found["alpha"]["value"]) == (None, None)
    assert found["kappa"]["reason"] == "not defined: only one label was used"
    assert main(["agreement", str(table)]) == 0
    assert "add cases that should fail" in capsys.readouterr().out


def test_h12_a_gap_is_no_label(shared, capsys):
    table = shared / "cases" / "h12-annotators-with-gaps" / "labels.csv"
    assert main(["agreement", str(table), "--json"]) == 0
    found = printed(capsys)
    assert (found["alpha"]["value"], found["cases_used"], found["cases_left_out"]) == (1.0, 7, ["s-5"])


@pytest.mark.django_db
def test_agreement_of_a_sample_names_its_metrics(tmp_path, capsys):
    judged(default_project(), tmp_path, GAP)
    assert main(["agreement", "tea", "--json"]) == 0
    assert printed(capsys)["raters"] == ["alice"]
    assert main(["agreement", "tea", "--metric", "tone"]) == 4
    assert f"There are labels on: {METRIC}. (--metric)" in capsys.readouterr().err
