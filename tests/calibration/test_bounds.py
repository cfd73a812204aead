"""Numbers that are finite but would not be after arithmetic are refused at the door."""

from __future__ import annotations

import pandas
import pytest

from calibration.calibrate import calibrate
from calibration.statistics.costs import Costs
from labeling.rules import Answer, RuleError, human_verdict, parse_rule

ROWS = [(f"c{i}", i % 2, i / 10) for i in range(10)]


def table(**columns):
    frame = pandas.DataFrame(ROWS, columns=["case_id", "human_pass", "score"])
    return frame.assign(**columns)


@pytest.mark.parametrize("value", [1e308, float("inf"), float("nan"), -1.0])
def test_a_cost_lies_from_nothing_to_a_billion(value):
    with pytest.raises(ValueError, match=r"from 0 to 1e\+09"):
        Costs(false_pass=value)


@pytest.mark.parametrize(("certify", "confidence"), [(1e-300, 0.95), (0.1, 1 - 1e-12), (0.0, 0.95), (1.0, 0.95)])
def test_a_promise_nobody_could_test_is_refused(certify, confidence):
    with pytest.raises(ValueError, match="between 0 and 1, 1e-06 or above"):
        calibrate(table(), certify=certify, confidence=confidence)


def test_a_weight_beyond_any_design_leaves_its_case_out():
    document = calibrate(table(weight=[1e308] + [1.0] * 4 + [2.0] * 5)).document
    # Ten cases, one of them left out.
    assert document["n"] == 9
    assert sum(each["count"] for each in document["excluded"]) == 1


@pytest.mark.parametrize("grade", [float("inf"), float("nan"), 1e300])
def test_a_grade_beyond_any_scale_is_named(grade):
    with pytest.raises(RuleError, match="beyond any scale"):
        human_verdict(parse_rule("median>=3"), [Answer(verdict="", grade=grade)])
