"""The gate reads every shape of scores file, and takes nothing for a score that is none."""

from __future__ import annotations

import json

import pytest

from calibration.gating.files import InputError
from calibration.gating.shapes import read_scores
from tests.calibration.gating import JUDGE, config, for_judge, gate, rows, two_gates

STRICT = {"metric": "faithfulness", "threshold": 0.7}


def readings(content: object, name: str = "s.json") -> dict[tuple[str | None, str | None], object]:
    """(case, metric) -> the score, else why there is none."""
    raw = content if isinstance(content, bytes) else content.encode() if isinstance(content, str) else None
    scores = read_scores(raw if raw is not None else json.dumps(content).encode(), name)
    return {
        (row.case, row.metric): row.reading.score if row.reading.kind == "scored" else row.reading.reason
        for row in scores.rows
    }


@pytest.mark.parametrize(
    ("content", "name"),
    [
        ([0.9, 0.2], "s.json"),
        ([{"id": "a", "score": 0.9}, {"id": "b", "score": 0.2}], "s.json"),
        ([{"case_id": 1, "score": 0.9}, {"case_id": 2, "score": 0.2}], "s.json"),
        ({"scores": [0.9, 0.2]}, "s.json"),
        ({"metric": "faithfulness", "scores": rows(0.9, 0.2)}, "s.json"),
        ({"scores": rows(0.9, 0.2, metric="Faithfulness")}, "s.json"),
        ("id,score\na,0.9\nb,0.2\n", "s.csv"),
        ("id;metric;score\r\na;faithfulness;0.9\r\nb;faithfulness;0.2\r\n", "s.csv"),
        ("case_id\tScore \na\t.9\nb\t2e-1\n", "s.tsv"),
        ('{"id": "a", "score": 0.9}\n\n{"id": "b", "score": 0.2}\n', "s.jsonl"),
        ("id,score\na,0.9\nb,0.2\n".encode("utf-16"), "s.csv"),
        ("\ufeffid,score\na,0.9\nb,0.2\n", "s.csv"),
        ("\ufeff[0.9, 0.2]", "s.json"),
        ("[0.9, 0.2]".encode("utf-16-le"), "scores"),
        ({"testCases": [{"name": n, "metricsData": [{"name": "Faithfulness", "score": s}]} for n, s in (("a", 0.9), ("b", 0.2))]}, "s.json"),
        ({"results": {"results": [{"testIdx": n, "namedScores": {"faithfulness": s}} for n, s in enumerate((0.9, 0.2))]}}, "s.json"),
    ],
)  # fmt: skip
def test_every_shape_gives_one_pass_of_two(tmp_path, content, name):
    run = gate(tmp_path, {**STRICT, "min_pass_rate": 0.5}, content, name=name)
    assert run.code == 0
    assert "1 of 2 scored cases pass" in run.first_line
    assert gate(tmp_path, {**STRICT, "min_pass_rate": 0.51}, content, name=name).code == 1


@pytest.mark.parametrize(
    ("score", "reason"),
    [
        (None, "no score in the file"),
        ("0.8", "score is text, not a number"),
        ("", "score is text, not a number"),
        (True, "score is true or false, not a number"),
        (float("nan"), "score is NaN"),
        (float("inf"), "score is outside 0 to 1"),
        (1.01, "score is outside 0 to 1"),
        (-0.01, "score is outside 0 to 1"),
        (83, "score is outside 0 to 1"),
        (10**400, "score is outside 0 to 1"),
        ([0.9], "score is a list or an object, not a number"),
        ({"value": 0.9}, "score is a list or an object, not a number"),
    ],
)
def test_what_is_no_number_from_0_to_1_is_unscored(tmp_path, score, reason):
    assert readings([{"id": "a", "score": score}]) == {("a", None): reason}
    run = gate(tmp_path, STRICT, [{"id": "a", "score": score}])
    assert run.code == 2
    assert f"1 of 1 cases have no usable score ({reason} 1): a" in run.first_line


@pytest.mark.parametrize(
    "cell", ["nan", "NaN", "inf", "-inf", "0,8", "83%", "n/a", "0x1", "1_0", "٠.٨", "true", "1e999"]
)
def test_a_cell_that_is_no_plain_number_from_0_to_1_is_unscored(tmp_path, cell):
    assert gate(tmp_path, STRICT, f'id;score\na;"{cell}"\n', name="s.csv").code == 2


def test_an_error_outweighs_the_score_beside_it():
    assert readings([{"id": "a", "score": 1.0, "error": "timeout"}]) == {("a", None): "timeout"}


def test_a_score_beside_not_applicable_is_a_contradiction_and_unscored():
    assert readings([{"id": "a", "score": 1, "not_applicable": True}]) == {
        ("a", None): "both a score and not_applicable"
    }


def test_a_csv_says_errors_and_not_applicable_in_columns(tmp_path):
    lines = "id,score,error,not_applicable\na,0.9,,\nb,,timeout,\nc,,,no context\nd,0.9,,false\n"
    assert readings(lines, "s.csv") == {
        ("a", None): 0.9,
        ("b", None): "timeout",
        ("c", None): "no context",
        ("d", None): 0.9,
    }
    run = gate(tmp_path, config(), lines, name="s.csv")
    assert run.code == 0
    assert "2 pass, 0 fail, 1 unscored, 1 not applicable" in run.text


def test_a_csv_names_the_evaluator_in_columns(tmp_path):
    lines = "id,score,judge,evaluator.version\na,0.9,gpt-x,{}\n"
    assert gate(tmp_path, for_judge(), lines.format("3"), name="s.csv").code == 0
    assert gate(tmp_path, for_judge(), lines.format("4"), name="s.csv").code == 3


def test_ids_are_compared_trimmed(tmp_path):
    run = gate(tmp_path, STRICT, [{"id": "a", "score": 0.9}, {"id": " a ", "score": 0.9}])
    assert run.code == 4
    assert "row 2: case 'a' has a second faithfulness score" in run.text


def test_one_question_to_two_systems_is_two_cases():
    scores = [{"id": "a", "system": "old", "score": 0.1}, {"id": "a", "system": "new", "score": 0.9}]
    assert readings(scores) == {("a [old]", None): 0.1, ("a [new]", None): 0.9}


@pytest.mark.parametrize(
    ("scores", "sentence"),
    [
        (rows(0.9), "row 1: metric: is missing, and the config has faithfulness, relevancy"),
        ([0.9], "row 1: id: is missing, and the config has several metrics"),
        ([{"metric": "faithfulness", "score": 0.9}], "row 1: id: is missing"),
        ([[0.9]], "row 1: is a list"),
        ([{"id": ["a"], "score": 0.9}], "row 1: id: must be text or a number"),
        ([{"id": "a", "metric": 5, "score": 0.9}], "row 1: metric: must be a metric's name"),
        ({"scores": {"a": 0.9}}, "scores: must be a list"),
        ({"scores": [], "evaluators": ["m"]}, "evaluators: must be an object"),
        ({"scores": [], "judge": 5}, "judge: must be an object"),
        ({"data": []}, "has the keys data; expected"),
        ("5", "holds 5; expected"),
        ("null", "holds None; expected"),
        ({"testCases": [5]}, "testCases[0]: must be an object"),
        ({"testCases": [{"metricsData": [{"score": 1}]}]}, "testCases[0]: metricsData[0]: name"),
        ({"results": 5}, "results: must be a list"),
    ],
)
def test_a_file_of_another_shape_is_bad_input_with_the_place(tmp_path, scores, sentence):
    run = gate(tmp_path, two_gates(), scores)
    assert run.code == 4
    assert sentence in run.first_line


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        ("id,value\na,0.9\n", "line 1: a CSV needs a column 'score', and here are: id, value"),
        ("id,score,score\na,0.9,0.1\n", "line 1: the column 'score' is there twice"),
        ("id,score\na,0.9\nb,0.8,0.7\n", "line 3: has 3 cells, the header has 2"),
        ('id,score\n"a,0.9\n', "is not readable as CSV"),
        ("0.9\n0.8\n", "a CSV needs a column 'score'"),
    ],
)
def test_a_csv_of_another_shape_is_bad_input_with_the_line(lines, sentence):
    with pytest.raises(InputError) as caught:
        read_scores(lines.encode(), "s.csv")
    assert sentence in str(caught.value)


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
    run = gate(tmp_path, STRICT, {"testCases": [deepeval_case("a")]})
    assert (run.code, "no metric was run 1" in run.first_line) == (2, True)


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


def test_the_evaluator_of_each_metric_is_its_own(tmp_path):
    settings = config(
        metrics=[{"metric": m, "threshold": 0.5, "evaluator": {**JUDGE, "prompts": m}} for m in ("f", "r")]
    )
    scores = [*rows(0.9, metric="f"), *rows(0.9, metric="r")]
    named = {m: {**JUDGE, "prompts": m} for m in ("f", "r")}
    assert gate(tmp_path, settings, {"evaluators": named, "scores": scores}).code == 0
    assert gate(tmp_path, settings, {"evaluators": {**named, "r": named["f"]}, "scores": scores}).code == 3
    assert gate(tmp_path, settings, {"evaluators": {"f": named["f"]}, "scores": scores}).code == 3
