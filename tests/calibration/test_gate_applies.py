"""A threshold belongs to the evaluator it was calibrated on, while the calibration lasts. Else the exit code is 3."""

from __future__ import annotations

import hashlib

import pytest

from calibration.gating.decision import Options, decide
from calibration.gating.rules import read_config
from calibration.gating.shapes import read_scores
from tests.calibration.gating import JUDGE, config, for_judge, gate, rows, run_gate, save

EXPIRED, YEARS_AHEAD = "2001-01-31", "2999-12-31"


def test_the_same_evaluator_applies(tmp_path):
    assert gate(tmp_path, for_judge(), {"evaluators": {"faithfulness": JUDGE}, "scores": rows(0.9)}).code == 0


@pytest.mark.parametrize("key", ["evaluator", "judge"])
def test_one_metric_may_name_its_evaluator_at_the_top(tmp_path, key):
    assert gate(tmp_path, for_judge(), {key: JUDGE, "scores": rows(0.9)}).code == 0
    assert gate(tmp_path, for_judge(), {key: {**JUDGE, "version": "4"}, "scores": rows(0.9)}).code == 3


@pytest.mark.parametrize(
    ("calibrated", "scored", "code"),
    [
        ({"judge": "a", "prompts": "p1"}, {"judge": "a"}, 0),  # what one side does not know is not compared
        ({"judge": "a"}, {"judge": "a", "served_model": "m-2024"}, 0),
        ({"judge": "a", "prompts": "p1"}, {"judge": "a", "prompts": None}, 0),
        ({"judge": "a", "prompts": "p1"}, {"judge": "a", "prompts": "p2"}, 3),
        ({"parameters": {"temperature": 0}}, {"parameters": {"temperature": 0.0, "seed": 1}}, 0),
        ({"parameters": {"temperature": 0}}, {"parameters": {"temperature": 0.5}}, 3),
        ({"repeats": 1}, {"repeats": True}, 3),
        ({"judge": "gpt-x"}, {"model": "gpt-x"}, 0),  # one knows the judge by its model only
        ({"judge": "gpt-x"}, {"model": "gpt-y"}, 3),
        ({"judge": {"name": "gpt-x", "version": "1"}}, {"judge": "gpt-x"}, 0),
        ({"judge": {"name": "gpt-x", "version": "1"}}, {"name": "gpt-x", "version": "2"}, 3),
        ({"judge": "a"}, {"prompts": "p1"}, 3),  # nothing in common is nothing checked
        ({"judge": "a"}, {"metric": "faithfulness"}, 3),
    ],
)
def test_evaluators_are_compared_field_by_field(tmp_path, calibrated, scored, code):
    settings = config(metrics=[{"metric": "faithfulness", "threshold": 0.7, "evaluator": calibrated}])
    assert gate(tmp_path, settings, {"evaluator": scored, "scores": rows(0.9)}).code == code


def test_the_difference_is_named(tmp_path):
    run = gate(tmp_path, for_judge(), {"judge": {"judge": "gpt-y", "version": "3"}, "scores": rows(0.9)})
    assert "judge is gpt-y in the scores, gpt-x in the calibration" in run.first_line


def test_a_field_known_to_one_side_only_is_printed_as_unchecked(tmp_path):
    run = gate(tmp_path, for_judge(), {"judge": "gpt-x", "scores": rows(0.9)})
    assert run.code == 0
    assert "not checked: evaluator of faithfulness, known to one side only: version" in run.text


def test_scores_that_name_no_evaluator_need_the_override_and_are_then_uncalibrated(tmp_path):
    refused = gate(tmp_path, for_judge(), rows(0.9))
    assert refused.code == 3
    assert "--assume-evaluator" in refused.first_line
    taken = gate(tmp_path, for_judge(), rows(0.9), "--assume-evaluator")
    assert taken.code == 0
    assert "UNCALIBRATED, because of --assume-evaluator: the scores of faithfulness" in taken.text


def test_no_override_makes_another_judge_the_calibrated_one(tmp_path):
    assert gate(tmp_path, for_judge(), {"judge": "b", "scores": rows(0.9)}, "--assume-evaluator").code == 3


def test_every_evaluator_in_the_file_must_be_the_calibrated_one(tmp_path):
    scores = [{"id": "a", "score": 0.9, "judge": "gpt-x"}, {"id": "b", "score": 0.9, "judge": "gpt-y"}]
    assert gate(tmp_path, for_judge(), scores[:1]).code == 0
    assert gate(tmp_path, for_judge(), scores).code == 3


def test_rows_that_name_no_evaluator_are_counted_where_others_name_it(tmp_path):
    scores = [{"id": "a", "score": 0.9, "judge": "gpt-x"}, *rows(*[0.9] * 50), {"id": "e", "error": "timeout"}]
    run = gate(tmp_path, for_judge(), scores)
    assert run.code == 0
    assert "not checked: evaluator of faithfulness: 50 of 51 scored rows name none\n" in run.text


@pytest.mark.parametrize("top", [{"judge": JUDGE}, {"evaluators": {"Faithfulness": JUDGE}}])
def test_an_evaluator_named_for_the_whole_file_covers_every_row(tmp_path, top):
    assert "rows name none" not in gate(tmp_path, for_judge(), {**top, "scores": rows(0.9)}).text


def test_the_short_form_names_its_evaluator_too(tmp_path):
    short = {"metric": "faithfulness", "threshold": 0.7, "min_pass_rate": 0.8, "calibrated_for": {"model": "m1"}}
    assert gate(tmp_path, short, {"judge": {"model": "m1"}, "scores": rows(0.9)}).code == 0
    assert gate(tmp_path, short, {"judge": {"model": "m2"}, "scores": rows(0.9)}).code == 3
    assert gate(tmp_path, short, rows(0.9)).code == 3


def test_a_calibration_applies_up_to_the_day_it_expires(tmp_path):
    assert gate(tmp_path, config(expires=YEARS_AHEAD), rows(0.9)).code == 0
    run = gate(tmp_path, config(expires=EXPIRED), rows(0.9))
    assert (run.code, "expired on 2001-01-31" in run.first_line) == (3, True)


def test_the_day_of_expiry_still_counts(tmp_path):
    expiring = read_config(config(expires="2030-01-31"))
    scores = read_scores(b"[0.9]", "s.json")
    assert decide(expiring, scores, Options(), expiring.expires).code == 0
    assert decide(expiring, scores, Options(), expiring.expires.replace(month=2, day=1)).code == 3


@pytest.mark.parametrize(
    ("state", "options", "code"),
    [
        ("trusted", [], 0),
        (None, [], 0),
        ("inconclusive", [], 3),
        ("inconclusive", ["--allow-inconclusive"], 0),
        ("untrusted", [], 3),
        ("untrusted", ["--allow-inconclusive"], 3),
    ],
)
def test_the_state_of_the_calibration(tmp_path, state, options, code):
    run = gate(tmp_path, config(state=state), rows(0.9), *options)
    assert run.code == code
    assert ("UNCALIBRATED" in run.text) == (code == 0 and state == "inconclusive")
    assert ("not checked: state" in run.text) == (state is None)


def test_the_config_may_be_pinned(tmp_path):
    path = save(tmp_path, "config.json", config())
    scores = str(save(tmp_path, "s.json", [0.9]))
    pin = hashlib.sha256(path.read_bytes()).hexdigest()
    argv = ("--config", str(path), "--scores", scores, "--expect-sha256")
    assert run_gate(*argv, pin).code == 0
    assert run_gate(*argv, f"sha256:{pin.upper()}").code == 0
    assert run_gate(*argv, "0" * 64).code == 4
    assert run_gate(*argv, "short").code == 4
