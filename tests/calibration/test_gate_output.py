"""Whatever comes in, the gate answers with a code, a sentence and output that is safe where it lands."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from calibration.gate import main
from calibration.gating.files import listed, printable
from tests.calibration.gating import config, for_judge, gate, monitored, rows, save

ROOT = Path(__file__).resolve().parents[2]
SCORES = [0.9]

# Names out of files

HOSTILE = "a\r\n::error file=x::boo\x1b[31m##[command]x\u202e\u2028\ud800<&\"'|`*_[x](http://y)@me\x00\ufffe"


@pytest.fixture
def hostile(tmp_path):
    """A run where every name and every cause is hostile."""
    settings = config(metrics=[{"metric": HOSTILE, "threshold": 0.7}], decision={}, warnings=[HOSTILE], **{HOSTILE: 1})
    scores = [
        {"id": HOSTILE, "metric": HOSTILE, "score": 0.1},
        {"id": f"2{HOSTILE}", "metric": HOSTILE, "error": HOSTILE},
        {"id": f"3{HOSTILE}", "metric": HOSTILE, "not_applicable": HOSTILE},
        {"id": f"4{HOSTILE}", "metric": f"other {HOSTILE}", "score": 1},
    ]

    def run(*options: str):
        return gate(tmp_path, settings, {"scores": scores, "judge": HOSTILE}, *options)

    return run


def test_no_name_starts_a_line_or_a_workflow_command(hostile):
    text = hostile().text
    assert all(line.startswith(("gate: ", "  ")) for line in text.split("\n")[:-1])
    assert all(line.strip()[0].isalpha() for line in text.split("\n")[:-1])
    assert "::" not in text
    assert "##" not in text
    assert all(c.isprintable() or c == "\n" for c in text)


def test_the_json_is_json_and_holds_no_workflow_command(hostile):
    run = hostile("--json")
    assert "::" not in run.text
    assert "##" not in run.text
    document = json.loads(run.text)
    assert document["exit"] == run.code == 2
    assert document["failing"] == [{"id": HOSTILE.strip(), "why": f"{HOSTILE.strip()} 0.1 < 0.7"}]


def test_the_junit_file_is_xml_whatever_the_names(hostile, tmp_path):
    hostile("--junit", str(tmp_path / "junit.xml"))
    suites = ElementTree.parse(tmp_path / "junit.xml").getroot()
    suite = suites[0]
    assert suite.attrib == {"name": "gate", "tests": "5", "failures": "1", "errors": "3", "skipped": "1"}
    assert [[problem.tag for problem in test] for test in suite] == [
        ["error"],
        ["failure"],
        ["error"],
        ["skipped"],
        ["error"],
    ]


def test_the_summary_is_markdown_without_a_name_becoming_markup(hostile, tmp_path):
    hostile("--summary", str(tmp_path / "summary.md"))
    text = (tmp_path / "summary.md").read_text(encoding="utf-8")
    for markup in ("<", "`", "*", "](", "@", "[x", "::", "\u2028"):
        assert markup not in text
    table = [line for line in text.splitlines() if line.startswith("|")]
    assert {line.count("|") for line in table} == {8, 4}


def test_a_long_name_is_cut(tmp_path):
    assert printable("x" * 200, 10) == "xxxxxxx..."
    assert listed([str(n) for n in range(12)]) == "0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 2 more"


def test_a_console_without_vietnamese_gets_escapes(tmp_path):
    paths = [str(save(tmp_path, "c.json", config())), str(save(tmp_path, "s.json", [{"id": "đạt", "score": 0.1}]))]
    command = [sys.executable, "-m", "workbench.cli", "gate", "--config", paths[0], "--scores", paths[1]]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, env={"PYTHONIOENCODING": "ascii"}, check=False)
    assert done.returncode == 1
    assert b"\\u0111\\u1ea1t" in done.stdout


# Reports


def test_the_outcome_as_json(tmp_path):
    run = gate(
        tmp_path, for_judge(), [*rows(0.9, 0.1), {"id": "e", "error": "timeout"}], "--json", "--assume-evaluator"
    )
    document = json.loads(run.text)
    assert document["result"] == "pass"
    assert document["calibrated"] is False
    assert [document[key] for key in ("cases", "pass", "fail", "unscored", "not_applicable")] == [3, 1, 1, 1, 0]
    assert document["pass_rate"] == 1 / 2
    assert document["scored_share"] == 2 / 3
    assert document["metrics"][0]["threshold"] == 0.7
    assert document["unscored_cases"] == [{"id": "e", "why": "faithfulness: timeout"}]


def test_bad_input_as_json_is_json_on_stdout(tmp_path, capsys):
    code = main(["--config", str(tmp_path / "no"), "--scores", "s", "--json"])
    printed = capsys.readouterr()
    document = json.loads(printed.out)
    assert (code, document["exit"], document["result"], document["pass_rate"]) == (4, 4, "bad input", None)
    assert "there is no such file" in printed.err


@pytest.mark.parametrize(("scores", "problem"), [([0.9], []), ([0.1], ["failure"]), ([], ["error"]), ("[", ["error"])])
def test_the_first_junit_test_is_the_decision(tmp_path, scores, problem):
    gate(tmp_path, config(), scores, "--junit", str(tmp_path / "j.xml"))
    suite = ElementTree.parse(tmp_path / "j.xml").getroot()[0]
    assert suite[0].get("name") == "decision"
    assert [child.tag for child in suite[0]] == problem


def test_the_summary_counts_by_metric(tmp_path):
    scores = [*rows(0.9, 0.8, metric="faithfulness"), *rows(0.2, 0.9, metric="tone")]
    gate(tmp_path, monitored(), scores, "--summary", str(tmp_path / "s.md"))
    text = (tmp_path / "s.md").read_text(encoding="utf-8")
    assert text.startswith("## Judge gate: pass\n")
    assert "| faithfulness | gate | 0.7 | 2 | 0 | 0 | 0 |" in text
    assert "| tone | monitor | 0.5 | 1 | 1 | 0 | 0 |" in text


def test_reports_replace_those_of_an_earlier_build(tmp_path):
    paths = [str(tmp_path / "j.xml"), str(tmp_path / "s.md")]
    for scores in (SCORES, "["):
        gate(tmp_path, config(), scores, "--junit", paths[0], "--summary", paths[1])
    assert "BAD INPUT" in Path(paths[0]).read_text()
    assert Path(paths[1]).read_text().startswith("## Judge gate: bad input")


def test_a_report_that_cannot_be_written_or_would_overwrite_an_input_is_bad_input(tmp_path):
    run = gate(tmp_path, config(), SCORES, "--junit", str(tmp_path / "no" / "j.xml"))
    assert (run.code, "check the path given to --junit" in run.text) == (4, True)
    run = gate(tmp_path, config(), SCORES, "--summary", str(tmp_path / "scores.json"))
    assert (run.code, "--summary would overwrite an input" in run.text) == (4, True)
    assert json.loads((tmp_path / "scores.json").read_text()) == SCORES


def test_one_file_for_both_reports_is_bad_input_and_nothing_is_written(tmp_path):
    path = str(tmp_path / "report")
    run = gate(tmp_path, config(), SCORES, "--junit", path, "--summary", f"{tmp_path}/./report")
    assert (run.code, "given to --junit and to --summary" in run.text) == (4, True)
    assert not Path(path).exists()


def test_an_input_is_not_overwritten_under_another_name_either(tmp_path):
    save(tmp_path, "scores.json", SCORES)
    os.link(tmp_path / "scores.json", tmp_path / "linked.xml")
    assert gate(tmp_path, config(), SCORES, "--junit", str(tmp_path / "linked.xml")).code == 4
    assert json.loads((tmp_path / "linked.xml").read_text()) == SCORES


def test_keys_that_decide_nothing_are_named_wherever_they_stand(tmp_path):
    metric = {"metric": "f", "threshold": 0.7, "treshold": 0.9, "rates": {}}
    settings = config(metrics=[metric], decision={"min_pass_rates": 1, "min_scored_share": 1}, expire="2001-01-31")
    text = gate(tmp_path, settings, SCORES).text
    named = "expire, metrics[0].treshold, decision.min_pass_rates\n"
    assert f"not checked: keys of the config that this gate does not know: {named}" in text


def test_what_could_not_be_checked_is_printed(tmp_path):
    text = gate(tmp_path, {"metric": "f", "threshold": 0.7, "min_pass_rates": 0.5}, SCORES).text
    assert "not checked: expiry: the config names no date" in text
    assert "not checked: state: the config does not say" in text
    assert "not checked: evaluator of f: the config names none" in text
    assert "not checked: keys of the config that this gate does not know: min_pass_rates" in text


def test_the_warnings_of_the_calibration_travel_with_it(tmp_path):
    text = gate(
        tmp_path, config(warnings=["8 conversations are too few for an interval"], exploratory=True), SCORES
    ).text
    assert "warning of the calibration: 8 conversations are too few for an interval" in text
    assert "exploratory: " in text


# Start-up


def test_the_command_needs_neither_django_nor_numpy(tmp_path):
    paths = [str(save(tmp_path, "c.json", config())), str(save(tmp_path, "s.csv", "id,score\na,0.9\n"))]
    script = (
        "import sys; from workbench.cli import main; "
        f"code = main(['gate', '--config', {paths[0]!r}, '--scores', {paths[1]!r}]); "
        "heavy = {'django', 'numpy', 'pandas', 'scipy', 'sklearn', 'statsmodels', 'celery', 'openai'}; "
        "print('loaded:', sorted(heavy & sys.modules.keys())); sys.exit(code)"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "loaded: []"


def test_bad_usage_of_the_command_is_4():
    done = subprocess.run([sys.executable, "-m", "workbench.cli", "gate"], cwd=ROOT, capture_output=True, check=False)
    assert done.returncode == 4
    assert len(done.stderr.splitlines()) == 1
