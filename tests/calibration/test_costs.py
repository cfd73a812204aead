"""Costs: every cheapest range by brute force in fractions, the tie rule, the rounding, the refusals; h14 and h15."""

from __future__ import annotations

import csv
import json
import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from calibration.statistics.costs import Costs, cost_of_every_threshold, decide, recommend
from calibration.statistics.curves import error_curve
from calibration.statistics.passing import passes, quantise
from calibration.statistics.resampling import design_of
from calibration.statistics.stability import stability
from tests.calibration.held_by_hand import HELD_BY_HAND


def spans(choice):
    return [(each.low, each.high) for each in choice.optimal]


def steps(score):
    return math.floor(score * 1e9 + 0.5)


def brute_force(rows, costs):
    """Every cheapest range, by trying every score as a threshold in exact arithmetic."""
    levels = sorted({steps(score) for _, score, _ in rows})
    price = [Fraction(each) for each in costs]
    found = []
    for low, high in zip([None, *levels], [*levels, None], strict=True):
        passed = [high is not None and steps(score) >= high for _, score, _ in rows]
        false_pass = sum((Fraction(w) for (h, _, w), p in zip(rows, passed, strict=True) if p and not h), Fraction())
        false_fail = sum((Fraction(w) for (h, _, w), p in zip(rows, passed, strict=True) if not p and h), Fraction())
        found.append((price[0] * false_pass + price[1] * false_fail, low, high, false_pass))
    least = min(cost for cost, *_ in found)
    return [each for each in found if each[0] == least]


def random_table(rng):
    n, levels = int(rng.integers(1, 25)), int(rng.integers(1, 9))
    share = rng.choice([0.0, 0.3, 0.7, 1.0], p=[0.05, 0.45, 0.45, 0.05])
    human = (rng.random(n) < share).tolist()
    score = (rng.integers(0, levels + 1, n) / levels + rng.choice([0.0, 1e-16, -1e-12], n)).tolist()
    weight = rng.choice([1.0, 0.5, 3.0], n).tolist() if rng.random() < 0.4 else [1.0] * n
    score = [math.nan if rng.random() < 0.1 else min(max(each, 0.0), 1.0) for each in score]
    return [row for row in zip(human, score, weight, strict=True) if not math.isnan(row[1])]


@pytest.mark.parametrize("block", range(10))
def test_a_thousand_random_tables_are_as_brute_force_says(block):
    rng = np.random.default_rng(block)
    for _ in range(100):
        rows, costs = random_table(rng), [float(each) for each in rng.choice([1, 2, 5, 0.1], 2)]
        if not rows:
            continue
        human, score, weight = (list(column) for column in zip(*rows, strict=True))
        choice = recommend(error_curve(human, score, weight), Costs(*costs))
        expected = brute_force(rows, [Fraction(str(each)) for each in costs])
        assert spans(choice) == [tuple(x if x is None else x / 1e9 for x in each[1:3]) for each in expected]
        assert_recommendation_is_right(choice, expected, rows)


def assert_recommendation_is_right(choice, expected, rows):
    at_an_end = expected[0][1] is None or expected[-1][2] is None
    if at_an_end or len({human for human, *_ in rows}) == 1:
        assert choice.threshold is None
        return
    fewest = min(false_pass for *_, false_pass in expected)
    holding = [each for each in expected if each[1] < steps(choice.threshold) <= each[2]]
    assert [each[3] for each in holding] == [fewest]


@pytest.mark.parametrize("example", HELD_BY_HAND, ids=lambda example: example["name"])
def test_ranges_and_recommendations_held_by_hand(example):
    rows = [row for row in example["rows"] if row[0] is not None and row[1] is not None]
    choice = recommend(error_curve([row[0] for row in rows], [row[1] for row in rows]), Costs(*example["costs"]))
    assert spans(choice) == example["optimal"]
    assert choice.threshold == example["recommended"]
    assert choice.code == example.get("refusal", "recommended")


def test_no_case_is_a_result_in_words():
    choice = recommend(error_curve([], []), Costs(5, 1))
    assert (choice.threshold, choice.code, choice.optimal) == (None, "no_cases", ())
    assert "no case has both" in choice.reason


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0.6, 0.625, 0.61),
        (0.8, 1.0, 0.9),
        (0.0, 1.0, 0.5),
        (0.678, 0.679, 0.6785),
        (0.67, 0.6785, 0.674),
        (5 / 9, 4 / 7, 0.56),
        (0.1, 0.2, 0.15),
        (0.123456788, 0.12345679, 0.123456789),
        (0.5, 0.500000001, 0.500000001),
    ],
)
def test_the_middle_has_the_fewest_decimals_and_decides_like_the_range(low, high, expected):
    choice = recommend(error_curve([0, 1], [low, high]), Costs())
    assert choice.threshold == expected
    assert passes([low, high], choice.threshold).tolist() == [False, True]


@pytest.mark.parametrize("seed", range(50))
def test_no_shorter_decimal_lies_between_the_two_scores_near_the_middle(seed):
    low, high = sorted(np.random.default_rng(seed).integers(0, 10**9, 2).tolist())
    threshold = recommend(error_curve([0, 1], [low / 1e9, high / 1e9]), Costs()).threshold
    assert low < quantise(threshold) <= high
    places = -Decimal(str(threshold)).as_tuple().exponent
    shorter = round((low + high) / 2e9, places - 1) if places > 1 else None
    assert shorter is None or not low < steps(shorter) < high


def test_of_equal_false_passes_the_wider_range_wins():
    # Costs 0 for a false fail: every range above the fail errs the same on fails; but then pass none is no worse.
    assert recommend(error_curve([0, 1, 1], [0.1, 0.2, 0.9]), Costs(1, 0)).code == "pass_none"


def test_costs_that_make_no_sense_are_refused():
    for costs in [(-1, 1), (1, math.nan), (math.inf, 1), (0, 0)]:
        with pytest.raises(ValueError, match="cost"):
            Costs(*costs)


def test_cost_is_over_all_cases_so_prevalence_counts():
    # 8 passes and 2 fails: (.3, .5] costs 1 false pass, (.5, .8] 3 false fails. By class rates .5 against .375 the
    # order would be the other way round.
    human = [0, 0, 1, 1, 1, 1, 1, 1, 1, 1]
    score = [0.3, 0.5, 0.5, 0.5, 0.5, 0.8, 0.9, 0.9, 0.9, 0.9]
    assert cost_of_every_threshold(error_curve(human, score), Costs()).tolist()[:3] == [2, 1, 3]


def test_costs_in_tenths_tie_like_whole_ones():
    # .1 * 3 is .30000000000000004; it ties with .3 * 1.
    human, score = [0, 0, 0, 1, 0, 1, 1], [0.5, 0.5, 0.5, 0.5, 0.1, 0.9, 0.9]
    assert spans(recommend(error_curve(human, score), Costs(0.1, 0.3))) == [(0.1, 0.5), (0.5, 0.9)]


def test_the_decision_of_the_procedure_is_a_threshold_or_an_end():
    assert decide(error_curve([0, 1], [0.2, 0.8]), Costs()) == 0.5
    assert decide(error_curve([1, 0], [0.2, 0.8]), Costs(1, 5)) == -math.inf
    assert decide(error_curve([0, 0], [0.2, 0.8]), Costs()) == math.inf
    assert decide(error_curve([1, 1], [0.2, 0.8]), Costs()) == -math.inf


def test_thresholds_as_good_as_the_optimum_hold_it_and_the_range_moves_less_with_more_cases():
    widths = []
    for n in (100, 2000):
        rng = np.random.default_rng(7)
        human = (rng.random(n) < 0.7).astype(float)
        score = np.clip(rng.normal(0.4 + 0.3 * human, 0.15), 0, 1)
        curve = error_curve(human, score)
        threshold = recommend(curve, Costs(5, 1)).threshold
        found = stability(human, score, design_of(n), curve, Costs(5, 1), curve.candidate(threshold))
        assert any(low < threshold <= high for low, high in found.as_good_as)
        widths.append(found.optimum[1] - found.optimum[0])
    assert widths[1] < widths[0]


def test_eight_conversations_have_no_range_of_the_optimum():
    group = np.repeat(np.arange(8), 5)
    human, score = np.tile([0.0, 1.0], 20), np.tile([0.2, 0.8], 20)
    curve = error_curve(human, score)
    found = stability(human, score, design_of(40, group=group), curve, Costs(), 1).to_dict()
    assert found["as_good_as"] is None
    assert found["reason"] == "8 conversations are too few for an interval"


# h14: many scores exactly at the threshold.


@pytest.mark.parametrize("dust", [0.0, 1e-12, -1e-12])
def test_h14_counts_at_tied_scores(shared, dust):
    folder = shared / "cases/h14-many-scores-exactly-at-the-threshold"
    rows = list(csv.DictReader((folder / "scores.csv").open()))
    values = json.loads((folder / "expected.json").read_text())["values"]["by_threshold"]
    curve = error_curve([int(r["human_pass"]) for r in rows], [float(r["score"]) + dust for r in rows])
    for name, expected in values.items():
        point = curve.at(math.inf if name == "above 1.0" else float(name))
        found = {key: getattr(point, key) for key in ("true_pass", "false_pass", "false_fail", "true_fail")}
        assert {**found, "cost": 5 * point.false_pass + point.false_fail} == expected
    choice = recommend(curve, Costs(5, 1))
    assert spans(choice) == [(0.8, 1.0)]
    assert choice.threshold == 0.9


@pytest.mark.parametrize(("low", "high", "threshold"), [(0.4, 0.5, 0.45), (0.666666667, 0.75, 0.7), (0.25, 1 / 3, 0.3)])
def test_exported_value_counts_like_the_end_of_its_range(low, high, threshold):
    human, score = [0] * 4 + [1] * 5 + [0], [low] * 4 + [high] * 5 + [high]
    curve = error_curve(human, score)
    choice = recommend(curve, Costs(1, 1))
    assert choice.threshold == threshold
    assert curve.at(choice.threshold) == curve.at(high)


# h15: a judge that passes everything.


@pytest.mark.parametrize(
    ("score", "passed", "failed", "costs"), [(1.0, 36, 4, (5, 1)), (0.0, 10, 10, (1, 1)), (0.5, 3, 90, (1, 5))]
)
def test_a_score_of_one_value_recommends_nothing(score, passed, failed, costs):
    choice = recommend(error_curve([1] * passed + [0] * failed, [score] * (passed + failed)), Costs(*costs))
    assert choice.threshold is None
    assert choice.code == "one_value"
    assert "one value" in choice.reason
