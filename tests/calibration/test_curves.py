"""Curves: every threshold's counts, ties whole, dust settled, denominators named; scikit-learn as oracle."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn.metrics import confusion_matrix, roc_curve

from calibration.statistics.curves import band_half_width, error_curve
from calibration.statistics.passing import passes, quantise, unquantise
from tests.calibration.held_by_hand import HELD_BY_HAND


def counts(point):
    return point.true_pass, point.false_pass, point.false_fail, point.true_fail


def test_a_score_equal_to_the_threshold_passes():
    assert passes([0.8, 0.7999999999], 0.8).tolist() == [True, True]
    assert passes([0.799999999], 0.8).tolist() == [False]


def test_float_dust_passes():
    assert (0.7 + 0.7 + 0.7) / 3 < 0.7
    assert passes([(0.7 + 0.7 + 0.7) / 3], 0.7).all()
    assert passes([0.1 + 0.2], 0.3).all()
    assert passes([0.3], 0.1 + 0.2).all()


def test_every_step_comes_back_as_itself():
    steps = np.random.default_rng(0).integers(0, 10**9, 1000)
    assert all(quantise(unquantise(step)) == step for step in steps)


def test_a_nan_score_is_neither_a_pass_nor_a_fail():
    with pytest.raises(ValueError, match="unscored"):
        passes([0.5, math.nan], 0.5)
    with pytest.raises(ValueError, match="unscored"):
        error_curve([True, True], [0.5, math.nan])
    with pytest.raises(ValueError, match="undecided"):
        error_curve([1.0, math.nan], [0.5, 0.5])


def test_arrays_of_different_length_are_refused():
    with pytest.raises(ValueError, match="2 verdicts, 3 scores"):
        error_curve([True, False], [0.1, 0.2, 0.3])


def test_raising_the_threshold_trades_false_passes_for_false_fails():
    # Humans fail the 1st and 4th case. At 0.5 the judge passes the 3rd and 4th: one false pass of two.
    curve = error_curve(human_pass=[False, True, True, False], score=[0.2, 0.4, 0.8, 0.9])
    assert curve.at(0.5).false_pass_rate == 1 / 2
    assert curve.at(0.5).false_fail_rate == 1 / 2


def test_denominators_are_named_and_not_mixed():
    # 3 human fails, 4 human passes; at .5 one false pass and one false fail.
    point = error_curve([0, 0, 0, 1, 1, 1, 1], [0.1, 0.2, 0.6, 0.4, 0.7, 0.8, 0.9]).at(0.5)
    assert point.false_pass_rate == pytest.approx(1 / 3)
    assert point.false_fail_rate == pytest.approx(1 / 4)
    assert point.false_pass_share == point.false_fail_share == pytest.approx(1 / 7)
    assert point.false_among_passed == pytest.approx(1 / 4)


def test_a_rate_over_nobody_is_none():
    curve = error_curve([1, 1], [0.2, 0.8])
    assert curve.at(0.5).false_pass_rate is None
    assert curve.at(0.9).false_among_passed is None
    assert error_curve([], []).at(0.5).false_pass_share is None


def test_a_threshold_belongs_to_the_range_that_ends_at_the_next_score():
    curve = error_curve([0, 1, 1, 0], [0.2, 0.4, 0.8, 0.9])
    places = {0.1: 0, 0.2: 0, 0.200000001: 1, 0.8: 2, 0.9: 3, 0.91: 4, float("inf"): 4, float("-inf"): 0}
    assert {threshold: curve.candidate(threshold) for threshold in places} == places


def test_pass_all_and_pass_none_are_candidates():
    curve = error_curve([0, 1, 1], [0.2, 0.2, 0.7])
    assert curve.bounds(0) == (None, 0.2)
    assert curve.bounds(2) == (0.7, None)
    assert curve.false_pass.tolist() == [1, 0, 0]
    assert curve.false_fail.tolist() == [0, 1, 2]


def test_ties_are_never_split():
    # Four cases of one score: only all or none of them can pass.
    curve = error_curve([0, 1, 0, 1], [0.5] * 4)
    assert len(curve.false_pass) == 2


@pytest.mark.parametrize("seed", range(10))
def test_the_curve_is_scikit_learns(seed):
    rng = np.random.default_rng(seed)
    human, score = rng.integers(0, 2, 80), rng.integers(0, 20, 80) / 20
    human[:2] = [0, 1]
    curve = error_curve(human, score)
    fpr, tpr, _ = roc_curve(human, score, drop_intermediate=False)
    assert curve.false_pass[::-1] / (human == 0).sum() == pytest.approx(fpr)
    assert 1 - curve.false_fail[::-1] / human.sum() == pytest.approx(tpr)
    for threshold in (0.0, 0.33, 0.5, 1.0):
        true_fail, false_pass, false_fail, true_pass = confusion_matrix(human, score >= threshold).ravel()
        assert counts(curve.at(threshold)) == (true_pass, false_pass, false_fail, true_fail)


def test_a_soft_label_counts_in_part():
    point = error_curve([0.25, 1.0], [0.9, 0.1]).at(0.5)
    assert counts(point) == (0.25, 0.75, 1.0, 0.0)


def test_a_case_of_weight_three_counts_three_times():
    weighted = error_curve([0, 1, 1], [0.2, 0.5, 0.9], [3, 1, 2])
    repeated = error_curve([0, 0, 0, 1, 1, 1], [0.2, 0.2, 0.2, 0.5, 0.9, 0.9])
    for threshold in (0.1, 0.5, 0.9, 1.0):
        assert counts(weighted.at(threshold)) == counts(repeated.at(threshold))


def test_the_band_is_the_exact_kolmogorov_smirnov_quantile():
    assert round(band_half_width(100), 4) == 0.1340
    assert band_half_width(0) is None


@pytest.mark.parametrize("example", HELD_BY_HAND, ids=lambda example: example["name"])
def test_counts_held_by_hand(example):
    rows = [row for row in example["rows"] if row[0] is not None and row[1] is not None]
    curve = error_curve([row[0] for row in rows], [row[1] for row in rows])
    assert {threshold: counts(curve.at(threshold)) for threshold in example["counts"]} == example["counts"]


def test_a_million_cases_take_seconds_not_minutes():
    rng = np.random.default_rng(0)
    curve = error_curve(rng.random(10**6) < 0.7, rng.random(10**6))
    assert curve.false_pass[0] + curve.false_fail[-1] == 10**6
