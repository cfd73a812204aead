"""Whatever comes in, the gate answers 4 and one sentence: which file, where in it, what to do. Never a traceback."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from calibration.gate import main
from tests.calibration.gating import config, gate, run_gate, save

ROOT = Path(__file__).resolve().parents[2]
SCORES = [0.9]


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ("", "is not valid JSON"),
        ("{", "line 1, column 2 is not valid JSON"),
        ([], "must be one JSON object"),
        (None, "must be one JSON object"),
        ({}, "has neither 'metrics' nor 'metric'"),
        ('{"metric": "f", "threshold": 0.1, "threshold": 0.9}', "the key 'threshold' appears twice"),
        ({"metric": "f"}, "threshold: is missing"),
        ({"metric": "f", "threshold": None}, "a calibration that recommends none gates nothing"),
        ({"metric": "f", "threshold": "0.7"}, "threshold: must be a number from 0 to 1, not '0.7'"),
        ({"metric": "f", "threshold": True}, "threshold: must be a number from 0 to 1, not True"),
        ({"metric": "f", "threshold": float("nan")}, "threshold: must be a number from 0 to 1, not nan"),
        ({"metric": "f", "threshold": 70}, "threshold: must be a number from 0 to 1, not 70"),
        ({"metric": "f", "threshold": 10**300}, "threshold: must be a number from 0 to 1"),
        ({"metric": "", "threshold": 0.7}, "metric: must be the metric's name"),
        ({"metric": 5, "threshold": 0.7}, "metric: must be the metric's name, not 5"),
        (
            {"metric": "f", "threshold": 0.7, "min_pass_rate": 1.1},
            "min_pass_rate: must be a number from 0 to 1, not 1.1",
        ),
        ({"metric": "f", "threshold": 0.7, "min_pass_rate": 80}, "min_pass_rate: must be a number from 0 to 1, not 80"),
        ({"metric": "f", "threshold": 0.7, "min_scored_share": -1}, "min_scored_share: must be a number from 0 to 1"),
        ({"metric": "f", "threshold": 0.7, "role": "monitor"}, "no metric is a gate"),
        ({"metric": "f", "threshold": 0.7, "calibrated_for": 5}, "calibrated_for: must be an object"),
        (config(decision=[]), "decision: must be an object"),
        (config(decision={"min_pass_rate": "1"}), "decision: min_pass_rate: must be a number"),
        (config(metrics=[]), "metrics: must be a list with at least one metric"),
        (config(metrics={}), "metrics: must be a list"),
        (config(metrics=["f"]), "metrics[0]: must be an object"),
        (
            config(metrics=[{"metric": "f", "threshold": 0.7}, {"metric": "F", "threshold": 1}]),
            "metrics[1]: F is there twice",
        ),
        (
            config(metrics=[{"metric": "f", "threshold": 0.7, "role": "gait"}]),
            "metrics[0]: role: must be gate or monitor, not 'gait'",
        ),
        (config(state="fine"), "state: must be trusted or inconclusive or untrusted, not 'fine'"),
        (config(expires="31.1.2030"), "expires: must be a date such as 2030-01-31, not '31.1.2030'"),
        (config(expires="2030-02-30"), "expires: must be a date"),
        (config(expires=20300131), "expires: must be a date"),
        (config(schema="workbench.calibration/1"), "schema: this gate reads workbench.config/1"),
        ("[" * 100_000, "nested too deeply"),
        ('{"a":' * 100_000, "nested too deeply"),
        ('{"metric": "f", "threshold": ' + "9" * 5000 + "}", "too many digits"),
        (b"\xff{}", "is not utf-8 text; save the file as UTF-8"),
        (b'{"metric": "f\x00", "threshold": 0.7}', "is not valid JSON"),
    ],
)
def test_a_config_that_is_none_is_bad_input_with_the_place(tmp_path, settings, sentence):
    run = gate(tmp_path, settings, SCORES)
    assert run.code == 4
    assert sentence in run.first_line
    assert "config.json" in run.first_line
    assert len(run.text.splitlines()) == 1


@pytest.mark.parametrize(
    "scores",
    [
        "[" * 100_000,
        '{"scores": [{"id": "a", "score": ' + "9" * 5000 + "}]}",
        '[{"id": "a", "score": 0.1, "score": 0.9}]',
        b"\xff\xfe\x00",
        b"\x00\x00\x00\x00",
        b"\x89PNG\r\n\x1a\n",
        '{"scores": [0.9]',
        "id,score\na,0.9\x00\n" + '"',
        '"text"',
    ],
)
def test_scores_that_cannot_be_read_are_bad_input(tmp_path, scores):
    run = gate(tmp_path, config(), scores)
    assert run.code == 4
    assert "scores.json" in run.first_line
    assert "Traceback" not in run.text
    assert len(run.text.splitlines()) == 1


def test_a_file_that_is_not_there_is_named_with_its_option(tmp_path):
    there = str(save(tmp_path, "config.json", config()))
    missing = run_gate("--config", there, "--scores", str(tmp_path / "no.json"))
    assert (missing.code, "no.json: there is no such file; check the path given to --scores" in missing.text) == (
        4,
        True,
    )
    folder = run_gate("--config", str(tmp_path), "--scores", there)
    assert (folder.code, "this is a folder, not a file; check the path given to --config" in folder.text) == (4, True)
    assert run_gate("--config", there, "--scores", "a\0b").code == 4
    assert run_gate("--config", there, "--scores", "").code == 4


@pytest.mark.parametrize("argv", [[], ["--config", "c"], ["--nonsense"], ["--config"], ["--scores", "s", "--junit"]])
def test_bad_usage_is_4_and_not_argparses_2(argv):
    run = run_gate(*argv)
    assert run.code == 4
    assert len(run.text.splitlines()) == 1


def test_help_is_no_failure():
    with pytest.raises(SystemExit) as left:
        main(["--help"])
    assert left.value.code == 0


def test_a_crash_is_4_and_one_line(tmp_path, monkeypatch):
    def crash(*args: object, **named: object) -> None:
        raise ZeroDivisionError("inside\nout")

    monkeypatch.setattr("calibration.gate.decide", crash)
    run = gate(tmp_path, config(), SCORES, "--junit", str(tmp_path / "j.xml"))
    assert run.code == 4
    assert run.text == "gate: BAD INPUT, exit 4: the gate itself failed: ZeroDivisionError: inside\\nout\n"
    assert ElementTree.parse(tmp_path / "j.xml").getroot().get("errors") == "1"


def test_a_crash_while_reporting_is_4_too(tmp_path, monkeypatch):
    monkeypatch.setattr("calibration.gate.junit_text", lambda outcome: 1 / 0)
    assert gate(tmp_path, config(), SCORES, "--junit", str(tmp_path / "j.xml")).code == 4


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-", ">/dev/full", ">/dev/full 2>/dev/full"])
@pytest.mark.parametrize("entry", ["from calibration.gate import main as gate", "from workbench.cli import main"])
def test_an_output_that_is_closed_or_full_is_no_pass_and_no_traceback(tmp_path, closed, entry):
    paths = [str(save(tmp_path, "c.json", config())), str(save(tmp_path, "s.json", SCORES))]
    first = [] if entry.endswith("gate") else ["gate"]
    call = f"{entry}; import sys; sys.exit({entry.split()[-1]}(sys.argv[1:]))"
    for argv in (["--config", paths[0], "--scores", paths[1]], ["--nonsense"]):
        command = shlex.join([sys.executable, "-c", call, *first, *argv]) + f" {closed}"
        done = subprocess.run(command, shell=True, cwd=ROOT, capture_output=True, text=True, check=False, timeout=30)
        # The outcome goes to stdout: with that one open, nothing is lost.
        is_heard = closed == "2>&-" and argv[0] == "--config"
        assert (done.returncode, "Traceback" in done.stderr, len(done.stderr.splitlines()) <= 1) == (
            0 if is_heard else 4,
            False,
            True,
        )


# Files that are none


@pytest.mark.parametrize("option", ["--config", "--scores"])
def test_a_pipe_that_nobody_writes_to_is_refused_at_once(tmp_path, option):
    paths = {"--config": str(save(tmp_path, "c.json", config())), "--scores": str(save(tmp_path, "s.json", SCORES))}
    os.mkfifo(tmp_path / "pipe")
    paths[option] = str(tmp_path / "pipe")
    run = run_gate(*[word for pair in paths.items() for word in pair])
    assert run.code == 4
    assert "pipe: this is no regular file; give one, or - and pipe it in; check the path given to" in run.text
    assert option in run.text


@pytest.mark.parametrize("name", ["-", "/dev/stdin"])
def test_scores_may_be_piped_in(tmp_path, name):
    there = str(save(tmp_path, "c.json", config()))
    call = "import sys; from calibration.gate import main; sys.exit(main())"
    command = [sys.executable, "-c", call, "--config", there, "--scores", name]
    for scores, code in ((b"[0.9]", 0), (b"[0.1]", 1), (b"", 2)):
        done = subprocess.run(command, cwd=ROOT, input=scores, capture_output=True, check=False, timeout=30)
        assert done.returncode == code
    both = subprocess.run(
        [*command, "--config", "-"], cwd=ROOT, input=b"", capture_output=True, check=False, timeout=30
    )
    assert both.returncode == 4
    assert b"cannot both be the standard input" in both.stderr


def test_a_closed_standard_input_is_bad_input(tmp_path, monkeypatch):
    monkeypatch.setattr("sys.stdin", None)
    run = run_gate("--config", str(save(tmp_path, "c.json", config())), "--scores", "-")
    assert (run.code, "--scores: the standard input is closed; give a file" in run.text) == (4, True)


def test_nobody_reading_the_output_is_no_pass(tmp_path):
    paths = [str(save(tmp_path, "c.json", config())), str(save(tmp_path, "s.json", SCORES))]
    call = f"main(['--config', {paths[0]!r}, '--scores', {paths[1]!r}])"
    script = f"import sys; from calibration.gate import main; sys.exit({call})"
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, cwd=ROOT) as process:
        process.stdout.close()
        assert process.wait() == 4
