"""The gate reads every shape of scores file, and takes nothing for a score that is none."""

from __future__ import annotations

import pytest

from calibration.gating.files import InputError
from calibration.gating.shapes import read_scores
from tests.calibration.gating import JUDGE, config, for_judge, gate, readings, rows, two_gates

STRICT = {"metric": "faithfulness", "threshold": 0.7}


def least_deepeval(name: str, score: float) -> dict[str, object]:
    return {"name": name, "metricsData": [{"name": "Faithfulness", "score": score}]}


def least_promptfoo(number: int, score: float) -> dict[str, object]:
    return {"testIdx": number, "namedScores": {"faithfulness": score}}


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
        ({"testCases": [least_deepeval("a", 0.9), least_deepeval("b", 0.2)]}, "s.json"),
        ({"results": {"results": [least_promptfoo(0, 0.9), least_promptfoo(1, 0.2)]}}, "s.json"),
    ],
)
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


NOTHING_SAID = [None, False, 0, 0.0, float("nan"), "", " ", [], {}, "false", "FALSE", "0", "0.0", "no", "none", "null"]
NOTHING_SAID += ["[]", "{}", "-", "NaN", "NA", "n/a"]


@pytest.mark.parametrize("value", [*NOTHING_SAID, "nein", "không", "falsch"])
def test_a_word_for_no_takes_no_case_out_of_the_count(tmp_path, value):
    # 50 of 51 cases lack a score: the one that has one cannot speak for them.
    scores = [{"id": f"x{n}", "not_applicable": value} for n in range(50)] + rows(0.9)
    scores[-1]["id"] = "scored"
    run = gate(tmp_path, config(), scores)
    assert (run.code, "1 of 51 cases are scored" in run.first_line) == (2, True)
    assert readings([{"id": "a", "score": 0.9, "not_applicable": value}]) == {("a", None): 0.9}


@pytest.mark.parametrize("cell", ["0", "0.0", "false", "No", "nein", "None", "null", "[]", "{}", "nan", "NA", " "])
def test_a_csv_that_says_no_takes_no_case_out_either(tmp_path, cell):
    lines = "id,score,not_applicable\n" + "".join(f"x{n},,{cell}\n" for n in range(50)) + f"a,0.9,{cell}\n"
    assert gate(tmp_path, config(), lines, name="s.csv").code == 2


@pytest.mark.parametrize(
    ("value", "reason"),
    [(True, "no cause given"), ("yes", "no cause given"), ("1", "no cause given"), ("no context", "no context")],
)
def test_true_or_a_reason_is_not_applicable(tmp_path, value, reason):
    assert readings([{"id": "a", "not_applicable": value}]) == {("a", None): reason}
    run = gate(tmp_path, config(), [{"id": "a", "not_applicable": value}, *rows(0.9)])
    assert (run.code, "0 unscored, 1 not applicable" in run.text) == (0, True)


@pytest.mark.parametrize("value", [1, 2, 0.5, -1, ["x"], {"reason": "x"}, "2", "0.7"])
def test_any_other_not_applicable_is_unscored_with_its_reason(tmp_path, value):
    assert readings([{"id": "a", "not_applicable": value}]) == {
        ("a", None): "not_applicable is neither true nor a reason"
    }
    assert gate(tmp_path, STRICT, [{"id": "a", "not_applicable": value}, *rows(0.9)]).code == 2


@pytest.mark.parametrize("value", NOTHING_SAID)
def test_an_error_that_says_nothing_is_none(value):
    assert readings([{"id": "a", "score": 0.9, "error": value}]) == {("a", None): 0.9}


@pytest.mark.parametrize(
    ("value", "reason"),
    [(True, "no cause given"), (429, "429"), (["x"], '["x"]'), ({"code": 5, "message": "m"}, "m"), ("falsch",) * 2],
)
def test_any_other_error_is_one(value, reason):
    assert readings([{"id": "a", "score": 0.9, "error": value}]) == {("a", None): reason}


def test_an_id_of_null_is_an_absent_one_and_a_system_0_is_a_system():
    assert readings([{"id": None, "case_id": "a", "score": 0.9}]) == {("a", None): 0.9}
    assert readings([{"id": "a", "system": 0, "score": 0.9}]) == {("a [0]", None): 0.9}


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


def test_the_evaluator_of_each_metric_is_its_own(tmp_path):
    settings = config(
        metrics=[{"metric": m, "threshold": 0.5, "evaluator": {**JUDGE, "prompts": m}} for m in ("f", "r")]
    )
    scores = [*rows(0.9, metric="f"), *rows(0.9, metric="r")]
    named = {m: {**JUDGE, "prompts": m} for m in ("f", "r")}
    assert gate(tmp_path, settings, {"evaluators": named, "scores": scores}).code == 0
    assert gate(tmp_path, settings, {"evaluators": {**named, "r": named["f"]}, "scores": scores}).code == 3
    assert gate(tmp_path, settings, {"evaluators": {"f": named["f"]}, "scores": scores}).code == 3
