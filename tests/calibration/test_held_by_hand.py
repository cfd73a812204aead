"""Twenty tables worked out on paper: the same through the function, the command line, the page and the gate."""

from __future__ import annotations

import json

import pandas as pd
import pytest

from calibration.calibrate import calibrate
from calibration.presenting.readings import read
from tests.calibration.gating import config, gate, rows
from tests.calibration.held_by_hand import HELD_BY_HAND
from tests.calibration.judged import METRIC, as_csv, judged, live_data
from tests.cast import project_of_lena
from workbench.cli import main

EXAMPLES = [pytest.param(each, id=each["name"]) for each in HELD_BY_HAND]
COUNTS = ("true-pass", "false-pass", "false-fail", "true-fail")


def costs_of(example):
    return dict(zip(("cost_false_pass", "cost_false_fail"), example["costs"], strict=True))


def total_cost(example, counts):
    _, false_pass, false_fail, _ = counts
    return example["costs"][0] * false_pass + example["costs"][1] * false_fail


def optimal(document):
    return [(each["low"], each["high"]) for each in document["optimal_intervals"]]


@pytest.mark.parametrize("example", EXAMPLES)
def test_the_function(example):
    rows = [(*each, "")[:3] for each in example["rows"]]
    table = pd.DataFrame(rows, columns=["human_pass", "score", "group"], dtype=object)
    document = calibrate(table, **costs_of(example)).document
    assert optimal(document) == example["optimal"]
    assert document["recommended_threshold"] == example["recommended"]
    for threshold, counts in example["counts"].items():
        at = read(document, threshold)
        assert (at.cases.true_pass, at.cases.false_pass, at.cases.false_fail, at.cases.true_fail) == counts
        assert at.cost_total == total_cost(example, counts)


@pytest.mark.parametrize("example", EXAMPLES)
def test_the_command_line(example, tmp_path, capsys):
    costs = [f"--{name.replace('_', '-')}={value}" for name, value in costs_of(example).items()]
    assert main(["calibrate", str(as_csv(tmp_path, example["rows"])), *costs, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert optimal(document) == example["optimal"]
    assert document["recommended_threshold"] == example["recommended"]
    if example["recommended"] is None:
        assert document["reason_code"] == example["refusal"]
    if 0.5 in example["counts"]:
        assert tuple(document["at_half"]["counts"].values()) == example["counts"][0.5]


@pytest.mark.django_db
@pytest.mark.parametrize("example", EXAMPLES)
def test_the_page(example, client, tmp_path):
    project, lena = project_of_lena()
    judged(project, tmp_path, example["rows"])
    client.force_login(lena)
    for threshold, counts in example["counts"].items():
        data = live_data(client, project, threshold=repr(threshold), **costs_of(example))
        assert tuple(float(data[name]) for name in COUNTS) == counts
        assert float(data["cost-total"]) == total_cost(example, counts)
        assert data["recommended"] == ("" if example["recommended"] is None else repr(example["recommended"]))


@pytest.mark.parametrize("example", EXAMPLES)
def test_the_gate(example, tmp_path):
    # The gate knows no verdicts, so it is shown what people passed and what they failed one after the other.
    for threshold, (true_pass, false_pass, false_fail, true_fail) in example["counts"].items():
        assert gated(tmp_path, example, threshold, human=1) == (true_pass, false_fail)
        assert gated(tmp_path, example, threshold, human=0) == (false_pass, true_fail)


def gated(folder, example, threshold, *, human):
    """How many cases of one verdict the gate passes and fails."""
    scores = [score for verdict, score, *_ in example["rows"] if verdict == human and score is not None]
    if not scores:
        return 0, 0
    metrics = [{"metric": METRIC, "threshold": threshold, "role": "gate"}]
    asked = config(metrics=metrics, decision={"min_pass_rate": 0.0, "min_scored_share": 1.0})
    outcome = json.loads(gate(folder, asked, rows(*scores), "--json").text)
    return outcome["pass"], outcome["fail"]


@pytest.mark.parametrize("example", EXAMPLES)
def test_the_exported_config_holds_the_recommendation_or_is_not_written(example, tmp_path):
    table, target = as_csv(tmp_path, example["rows"]), tmp_path / "config.json"
    costs = [f"--{name.replace('_', '-')}={value}" for name, value in costs_of(example).items()]
    code = main(["calibrate", str(table), *costs, "--json", "--export", str(target)])
    assert (code, target.exists()) == ((1, False) if example["recommended"] is None else (0, True))
    if target.exists():
        assert json.loads(target.read_text())["metrics"][0]["threshold"] == example["recommended"]
