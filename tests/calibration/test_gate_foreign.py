"""The gate reads the files of DeepEval and promptfoo, and does not take over what they hide."""

from __future__ import annotations

import json

import pytest

from tests.calibration.gating import for_judge, gate, readings

STRICT = {"metric": "faithfulness", "threshold": 0.7}

# DeepEval


def deepeval_case(name: str, *metrics: dict[str, object], **more: object) -> dict[str, object]:
    return {"name": name, "input": "q", "actualOutput": "a", "metricsData": list(metrics), **more}


def test_a_deepeval_run_is_read_by_metric_and_judge(tmp_path):
    metric = {"name": "Faithfulness", "score": 0.9, "evaluationModel": "gpt-x", "success": True, "strictMode": False}
    broken = {"name": "Faithfulness", "error": "ValueError: invalid JSON", "evaluationModel": "gpt-x"}
    run = {"testCases": [deepeval_case("a", metric), deepeval_case("b", broken)], "testPassed": 1}
    assert readings(run) == {("a", "Faithfulness"): 0.9, ("b", "Faithfulness"): "ValueError: invalid JSON"}
    # The latest run is stored one level deeper; its model answers for the judge's name.
    assert gate(tmp_path, for_judge(), {"testRunData": run}).code == 0
    other = {"testCases": [deepeval_case("a", {**metric, "evaluationModel": "gpt-y"})]}
    assert gate(tmp_path, for_judge(), other).code == 3


def test_deepeval_tests_that_share_a_name_stay_apart_and_an_id_in_the_metadata_wins():
    metric = {"name": "F", "score": 1}
    shared = {
        "testCases": [
            deepeval_case("t", metric),
            deepeval_case("t", metric),
            deepeval_case("u", metric, metadata={"id": 7}),
        ]
    }
    assert set(readings(shared)) == {("testCases[0]", "F"), ("testCases[1]", "F"), ("7", "F")}


def test_a_deepeval_case_without_metrics_is_unscored(tmp_path):
    unmeasured = deepeval_case("a")
    absent = {key: value for key, value in unmeasured.items() if key != "metricsData"}
    for case in (unmeasured, absent, {**unmeasured, "metricsData": None}, {**unmeasured, "success": True}):
        run = gate(tmp_path, STRICT, {"testCases": [case]})
        assert (run.code, "no metric was run 1" in run.first_line) == (2, True)


def test_a_deepeval_metric_without_a_score_is_unscored_whatever_its_success():
    metric = {"name": "F", "success": True}
    run = {"testCases": [deepeval_case("a", metric), deepeval_case("b", {**metric, "score": None, "error": ""})]}
    assert readings(run) == {("a", "F"): "no score in the file", ("b", "F"): "no score in the file"}


def test_deepevals_kind_of_metric_in_brackets_is_no_other_metric(tmp_path):
    quality = {"metric": "overall_quality", "threshold": 0.5}
    geval = {"name": "Overall Quality [GEval]", "score": 0.6}
    assert gate(tmp_path, quality, {"testCases": [deepeval_case("a", geval)]}).code == 0
    # Unless the file holds the plain name too: that one is closer.
    plain = {"name": "Overall Quality", "score": 0.4}
    assert gate(tmp_path, quality, {"testCases": [deepeval_case("a", geval, plain)]}).code == 1


def test_a_real_deepeval_run(shared, tmp_path):
    raw = (shared / "data" / "messy" / "deepeval_test_run.json").read_bytes()
    run = gate(tmp_path, {**STRICT, "threshold": 0.5, "min_scored_share": 0.95}, raw)
    # 39 of 40 are scored; the file's own count at 0.5 is 33 passes, 6 fails, 1 error.
    assert run.code == 1
    assert "33 pass, 6 fail, 1 unscored" in run.text
    assert gate(tmp_path, {"metric": "overall quality", "threshold": 0}, raw).code == 0


# promptfoo


def assertion(name: str, score: object, **more: object) -> dict[str, object]:
    return {"pass": True, "score": score, "reason": "r", "assertion": {"type": "llm-rubric", "metric": name}, **more}


def promptfoo(*results: dict[str, object]) -> dict[str, object]:
    return {"evalId": "e", "results": {"version": 3, "results": list(results), "stats": {}}}


def graded(case_id: str, *components: dict[str, object], **more: object) -> dict[str, object]:
    grading = {"pass": True, "score": 1, "reason": "All assertions passed", "componentResults": list(components)}
    return {"testIdx": 0, "promptIdx": 0, "vars": {"id": case_id}, "score": 1, "gradingResult": grading, **more}


def test_promptfoo_scores_are_read_by_the_name_of_the_assertion():
    by_type = {"score": 0.4, "assertion": {"type": "context-faithfulness"}}
    results = promptfoo(graded("a", assertion("tone", 0.8), by_type), graded("b", assertion("tone", 0.1)))
    assert readings(results) == {("a", "tone"): 0.8, ("a", "context-faithfulness"): 0.4, ("b", "tone"): 0.1}


def test_an_assertion_set_is_opened():
    inner = {"score": 1, "componentResults": [assertion("tone", 0.3)], "assertion": None}
    assert readings(promptfoo(graded("a", inner))) == {("a", "tone"): 0.3}


def test_of_two_assertions_under_one_name_the_lower_counts():
    assert readings(promptfoo(graded("a", assertion("t", 0.8), assertion("t", 0.3)))) == {("a", "t"): 0.3}


def test_a_grader_that_failed_is_unscored_whatever_promptfoo_made_of_it():
    broken = assertion("t", 0, reason="Could not parse", metadata={"graderError": True})
    assert readings(promptfoo(graded("a", broken, assertion("t", 1), namedScores={"t": 0.5}))) == {
        ("a", "t"): "Could not parse"
    }


def test_a_promptfoo_row_that_erred_is_unscored_and_one_that_failed_is_not():
    erred = graded("a", error="API call timed out", failureReason=2)
    failed = graded("b", assertion("t", 0.1), error="Score 0.1 is below 0.5", failureReason=1)
    assert readings(promptfoo(erred, failed)) == {("a", None): "API call timed out", ("b", "t"): 0.1}


def test_a_promptfoo_test_without_assertions_was_not_measured(tmp_path):
    row = {
        "testIdx": 0,
        "score": 1,
        "success": True,
        "gradingResult": {"pass": True, "score": 1, "reason": "No assertions"},
    }
    run = gate(tmp_path, STRICT, promptfoo(row))
    assert (run.code, "no assertion graded this 1" in run.first_line) == (2, True)
    assert gate(tmp_path, STRICT, promptfoo({**row, "gradingResult": None})).code == 2


@pytest.mark.parametrize("grading", ["absent", None, {}, [], True, {"pass": True}, {"componentResults": []}])
def test_a_promptfoo_row_whose_grading_is_absent_null_or_empty_was_not_measured(tmp_path, grading):
    row = {"testIdx": 0, "score": 1, "success": True, "namedScores": {}, "gradingResult": grading}
    if grading == "absent":
        del row["gradingResult"]
    run = gate(tmp_path, STRICT, promptfoo(row))
    assert (run.code, "no assertion graded this 1" in run.first_line) == (2, True)


def test_a_promptfoo_row_marked_as_an_error_is_unscored_even_without_its_text():
    assert readings(promptfoo(graded("a", assertion("t", 1), failureReason=2))) == {("a", None): "no cause given"}


def test_a_grader_that_failed_without_a_name_is_unscored_too():
    broken = {"score": 0, "reason": "Could not parse", "metadata": {"graderError": True}, "assertion": None}
    assert readings(promptfoo(graded("a", broken))) == {("a", None): "Could not parse"}
    # And 0 is no error.
    fine = assertion("t", 0.8, metadata={"graderError": 0})
    assert readings(promptfoo(graded("a", fine, error=0))) == {("a", "t"): 0.8}


def test_the_prompts_of_a_promptfoo_run_are_told_apart():
    results = promptfoo(graded("a", assertion("t", 0.8)), graded("a", assertion("t", 0.2), promptIdx=1))
    assert readings(results) == {("a [prompt 0]", "t"): 0.8, ("a [prompt 1]", "t"): 0.2}


def test_promptfoo_lines_are_read_too():
    lines = "\n".join(json.dumps(graded(name, assertion("t", 0.8))) for name in "ab")
    assert readings(lines, "s.jsonl") == {("a", "t"): 0.8, ("b", "t"): 0.8}


def test_promptfoo_names_no_judge_so_a_calibrated_one_must_be_assumed(tmp_path):
    results = promptfoo(graded("a", assertion("faithfulness", 0.8)))
    assert gate(tmp_path, for_judge(), results).code == 3
    assert gate(tmp_path, for_judge(), results, "--assume-evaluator").code == 0
