"""The gate decides: every exit code, which beats which, and what counts as scored."""

from __future__ import annotations

import json
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calibration.gating.decision import Options, decide
from calibration.gating.rules import quantise, reaches, read_config
from calibration.gating.shapes import read_scores
from calibration.statistics.passing import passes
from tests.calibration.gating import JUDGE, config, for_judge, gate, monitored, rows, run_gate, two_gates

ERROR = {"id": "e", "error": "timeout"}
EXPIRED = "2001-01-31"


def test_a_build_passes_when_enough_of_its_scored_cases_pass(tmp_path):
    # 0.9 and 0.7 pass 0.7, 0.6 does not: 2 of 3 reach a min_pass_rate of 0.5.
    run = gate(tmp_path, config(), rows(0.9, 0.7, 0.6))
    assert run.code == 0
    assert "2 of 3 scored cases pass" in run.first_line


def test_a_build_is_below_when_too_few_pass(tmp_path):
    run = gate(tmp_path, config(), rows(0.9, 0.2, 0.6))
    assert run.code == 1
    assert "1 of 3 scored cases pass, the config asks for a share of 0.5" in run.first_line
    assert "x1 (faithfulness 0.2 < 0.7)" in run.text


def test_a_rate_that_is_just_reached_is_reached(tmp_path):
    # 2/3 as a config of 12 digits writes it is above the quotient in floating point.
    settings = config(decision={"min_pass_rate": 0.666666666667, "min_scored_share": 1})
    assert gate(tmp_path, settings, rows(0.9, 0.9, 0.1)).code == 0


def test_without_rates_every_case_must_be_scored_and_pass(tmp_path):
    strict = {"metric": "faithfulness", "threshold": 0.7}
    assert gate(tmp_path, strict, rows(0.7, 0.8)).code == 0
    assert gate(tmp_path, strict, rows(*[0.8] * 99, 0.6)).code == 1
    assert gate(tmp_path, strict, [*rows(*[0.8] * 99), ERROR]).code == 2


@pytest.mark.parametrize(
    ("score", "threshold", "is_pass"),
    [
        (0.7, 0.7, True),
        ((0.7 + 0.7 + 0.7) / 3, 0.7, True),  # 0.6999999999999998 in floating point
        (0.8, 0.8, True),
        (0.799999999, 0.8, False),  # nine places count
        (0.7999999996, 0.8, True),  # the tenth does not
        (5 / 9, 0.555555556, True),
        (1.0000000000000002, 1.0, True),
        (0, 0, True),
    ],
)
def test_score_and_threshold_are_rounded_alike(tmp_path, score, threshold, is_pass):
    strict = {"metric": "faithfulness", "threshold": threshold}
    assert gate(tmp_path, strict, [score]).code == (0 if is_pass else 1)
    assert reaches(score, threshold) is is_pass


def test_the_rounding_is_half_up_at_nine_places():
    assert quantise(0.5) == 500_000_000
    assert quantise(0.1234567895) == 123_456_790


@given(st.floats(0, 1), st.floats(0, 1))
def test_the_gate_and_the_statistics_pass_the_same_scores(score, threshold):
    assert reaches(score, threshold) == bool(passes(score, threshold))
    assert reaches(score, round(score, 9)) == bool(passes(score, round(score, 9)))


# Not measured


def test_an_error_leaves_the_case_unscored_and_out_of_the_rate(tmp_path):
    # 2 of 4 pass had the error counted as 0; without it 2 of 3 do, and 3 of 4 are scored.
    settings = config(decision={"min_pass_rate": 0.6, "min_scored_share": 0.75})
    run = gate(tmp_path, settings, [*rows(0.9, 0.8, 0.1), ERROR])
    assert run.code == 0
    assert "unscored: faithfulness: 1 of 4 judge calls failed (timeout 1): e" in run.text


def test_too_few_scored_cases_are_not_a_measurement(tmp_path):
    settings = config(decision={"min_pass_rate": 0.6, "min_scored_share": 0.76})
    run = gate(tmp_path, settings, [*rows(0.9, 0.8, 0.1), ERROR])
    assert run.code == 2
    assert "3 of 4 cases are scored, the config asks for a share of 0.76" in run.first_line


def test_nothing_scored_is_no_pass_even_when_the_config_asks_for_nothing(tmp_path):
    settings = config(decision={"min_pass_rate": 0, "min_scored_share": 0})
    assert gate(tmp_path, settings, [ERROR]).code == 2


def test_cases_to_which_no_gate_applies_leave_the_denominator(tmp_path):
    skipped = {"id": "n", "not_applicable": "no retrieval_context"}
    assert gate(tmp_path, {"metric": "f", "threshold": 0.7}, [*rows(0.9), skipped]).code == 0
    run = gate(tmp_path, config(), [skipped])
    assert run.code == 2
    assert "no gate is applicable to any of the 1 cases" in run.first_line


# The shared field inputs, and variants of each


@pytest.mark.parametrize(
    ("file", "code"),
    [("pass.json", 0), ("fail.json", 1), ("all_errors.json", 2), ("part_errors.json", 2), ("empty.json", 2)],
)
def test_nothing_was_measured_in_the_field(shared, file, code):
    folder = shared / "cases" / "h18-nothing-was-measured"
    assert run_gate("--config", str(folder / "config.json"), "--scores", str(folder / file)).code == code


H18 = {"metric": "faithfulness", "threshold": 0.7, "min_pass_rate": 0.8}


def failed(*causes: object) -> list[dict[str, object]]:
    return [{"id": f"x{n}", "error": cause} for n, cause in enumerate(causes)]


@pytest.mark.parametrize(
    ("scores", "name", "line"),
    [
        (failed(*["rate limit"] * 4, "timeout"), "s.json", "5 of 5 judge calls failed (rate limit 4, timeout 1)"),
        ({"scores": failed("quota", "quota", "500")}, "s.json", "3 of 3 judge calls failed (quota 2, 500 1)"),
        (failed({"type": "RateLimitError", "message": "429"}, True), "s.json", "(429 1, no cause given 1)"),
        ("id,score,error\na,,rate limit\nb,,rate limit\n", "s.csv", "2 of 2 judge calls failed (rate limit 2)"),
        ([{"id": "a", "score": 0.9, "error": "timeout"}], "s.json", "1 of 1 judge calls failed (timeout 1)"),
    ],
)
def test_when_every_judge_call_failed_one_line_says_so_and_why(tmp_path, scores, name, line):
    run = gate(tmp_path, H18, scores, name=name)
    assert run.code == 2
    assert line in run.first_line


@pytest.mark.parametrize(
    ("scores", "line"),
    [
        ([*rows(0.9), {"id": "a", "error": "timeout"}, {"id": "b", "error": "timeout"}], "2 of 3 judge calls"),
        ({"scores": [0.9, None, 0.9, None]}, "2 of 4 cases have no usable score (no score in the file 2)"),
        ([*rows(0.9, 0.9), {"id": "late", "error": "rate limit"}], "judge calls failed (rate limit 1): late"),
    ],
)
def test_when_some_judge_calls_failed_they_are_named_and_the_build_does_not_pass(tmp_path, scores, line):
    run = gate(tmp_path, H18, scores)
    assert run.code == 2
    assert line in run.first_line


@pytest.mark.parametrize(
    ("content", "name"),
    [
        ([], "s.json"),
        ("", "s.json"),
        (" \n\t\n", "s.csv"),
        (b"\xef\xbb\xbf", "s.json"),
        (b"\xff\xfe", "s.csv"),
        ("id,score\n", "s.csv"),
        ("case_id;metric;score\r\n", "s.csv"),
        ({"scores": []}, "s.json"),
        ({"scores": [], "evaluator": JUDGE}, "s.json"),
        ({"testCases": []}, "s.json"),
        ({"results": {"version": 3, "results": []}}, "s.json"),
        ("", "s.jsonl"),
    ],
)
def test_no_cases_are_no_measurement(tmp_path, content, name):
    run = gate(tmp_path, for_judge(), content, name=name)
    assert (run.code, run.first_line) == (2, "gate: NOT MEASURED, exit 2: no cases were found")


@pytest.mark.parametrize("scores", [[0.7] * 5, rows(0.9, 0.9, 0.9, 0.9, 0.1), {"scores": rows(1, 0.7)}])
def test_variants_of_a_normal_pass(tmp_path, scores):
    assert gate(tmp_path, H18, scores).code == 0


@pytest.mark.parametrize("scores", [[0.69] * 5, rows(0.9, 0.9, 0.9, 0.1, 0.1), {"scores": rows(0, 0.7)}])
def test_variants_of_a_real_failure(tmp_path, scores):
    assert gate(tmp_path, H18, scores).code == 1


# Several metrics


def both(*pairs: tuple[object, object]) -> list[dict[str, object]]:
    return [
        {"id": f"x{n}", "metric": metric, "score": score}
        for n, pair in enumerate(pairs)
        for metric, score in zip(("faithfulness", "relevancy"), pair, strict=True)
    ]


def test_a_case_passes_when_every_gate_passes_it(tmp_path):
    settings = two_gates(decision={"min_pass_rate": 0.51})
    # Only the first passes both gates: 1 of 2 is below 0.51.
    run = gate(tmp_path, settings, both((0.9, 0.5), (0.9, 0.4)))
    assert run.code == 1
    assert "x1 (relevancy 0.4 < 0.5)" in run.text


def test_a_case_unscored_in_one_gate_is_unscored_even_if_it_fails_the_other(tmp_path):
    # x1 fails faithfulness but has no relevancy: 1 of 1 scored case passes, 1 of 2 are scored.
    scores = [*both((0.9, 0.9)), {"id": "x1", "metric": "faithfulness", "score": 0.1}]
    settings = two_gates(decision={"min_pass_rate": 1, "min_scored_share": 0.5})
    assert gate(tmp_path, settings, scores).code == 0
    run = gate(tmp_path, two_gates(decision={}), scores)
    assert run.code == 2
    assert "relevancy: 1 of 2 cases have no usable score (no score in the file 1): x1" in run.first_line


def test_a_gate_that_does_not_apply_is_skipped_for_that_case(tmp_path):
    scores = [*both((0.9, 0.9)), {"id": "y", "metric": "faithfulness", "score": 0.9}]
    scores.append({"id": "y", "metric": "relevancy", "not_applicable": True})
    assert gate(tmp_path, two_gates(decision={}), scores).code == 0


def test_a_gate_that_was_never_measured_is_not_passed_by_the_other(tmp_path):
    run = gate(tmp_path, two_gates(), rows(0.9, 0.9, metric="faithfulness"))
    assert run.code == 2
    assert "relevancy: 2 of 2 cases have no usable score" in run.first_line


def test_a_failed_case_without_a_metric_failed_in_all_of_them(tmp_path):
    scores = [*both((0.9, 0.9)), {"id": "late", "error": "timeout"}]
    run = gate(tmp_path, two_gates(decision={}), scores)
    assert run.code == 2
    assert run.first_line.count("1 of 2 judge calls failed (timeout 1): late") == 2


def test_monitors_are_reported_and_never_block(tmp_path):
    scores = [*rows(0.9, metric="faithfulness"), *rows(0.1, metric="tone")]
    run = gate(tmp_path, monitored(), {"scores": scores, "evaluators": {"tone": {"judge": "another"}}})
    assert run.code == 0
    assert "monitor tone >= 0.5: 0 pass, 1 fail" in run.text
    assert "not checked: monitor tone: judge is another in the scores, gpt-x in the calibration" in run.text


def test_scores_of_another_metric_do_not_measure_this_one(tmp_path):
    run = gate(tmp_path, config(), rows(0.9, 0.9, metric="helpfulness"))
    assert run.code == 2
    assert "metrics in the scores that the config does not name: helpfulness" in run.text


# Which beats which


def test_four_beats_three_beats_two_beats_one(tmp_path):
    below = [*rows(0.1, 0.1)]
    unmeasured = [*below, *[{"id": f"e{n}", "error": "timeout"} for n in range(9)]]
    stale = config(expires=EXPIRED)
    assert gate(tmp_path, config(), below).code == 1
    assert gate(tmp_path, config(), unmeasured).code == 2
    assert gate(tmp_path, stale, unmeasured).code == 3
    assert gate(tmp_path, stale, []).code == 3
    assert gate(tmp_path, stale, [*unmeasured, *unmeasured]).code == 4  # every id twice


def test_the_lesser_reasons_are_told_too(tmp_path):
    run = gate(tmp_path, config(expires=EXPIRED), rows(0.1))
    assert "  also: 0 of 1 scored cases pass" in run.text


# Whatever the scores are

READINGS = st.one_of(
    st.floats(0, 1).map(lambda score: {"score": score}),
    st.sampled_from([{"error": "timeout"}, {"score": None}, {"score": "0.9"}, {"score": True}, {"score": 85}]),
    st.just({"not_applicable": True}),
)


@given(st.lists(READINGS, max_size=8), st.floats(0, 1), st.floats(0, 1))
@settings(max_examples=200, deadline=None)
def test_a_pass_rests_on_scored_cases_alone(readings, min_pass_rate, min_scored_share):
    short = {"metric": "m", "threshold": 0.7, "min_pass_rate": min_pass_rate, "min_scored_share": min_scored_share}
    scores = [{"id": n, **reading} for n, reading in enumerate(readings)]
    found = read_scores(json.dumps(scores).encode(), "s.json")
    outcome = decide(read_config(short), found, Options(), date(2030, 1, 1))
    numbers = [r["score"] for r in readings if isinstance(r.get("score"), float)]
    passing = sum(quantise(score) >= quantise(0.7) for score in numbers)
    assert outcome.count("pass") == passing
    assert outcome.count("fail") == len(numbers) - passing  # so an error is never a score of 0
    if outcome.code == 0:
        assert numbers
        assert reaches(passing / len(numbers), min_pass_rate)
