"""The nested cost: groups stay whole, folds are too few or not, optimism shows, the same seed gives the same."""

from __future__ import annotations

import time

import numpy as np
import pytest

from calibration.statistics.costs import Costs, recommend
from calibration.statistics.crossval import _folds, nested
from calibration.statistics.curves import error_curve
from calibration.statistics.passing import passes
from calibration.statistics.resampling import design_of


def noisy(n, seed=0, signal=0.3):
    rng = np.random.default_rng(seed)
    human = (rng.random(n) < 0.7).astype(float)
    return human, np.clip(rng.normal(0.4 + signal * human, 0.2), 0, 1)


def test_a_judge_without_error_costs_nothing_on_new_cases():
    human = np.array([0.0] * 10 + [1.0] * 20)
    found = nested(human, np.where(human == 1, 0.9, 0.1), design_of(30), Costs(5, 1))
    assert (found.folds, found.repeats, found.units) == (10, 10, 30)
    assert (found.cost.value, found.cost.se, found.apparent) == (0.0, 0.0, 0.0)
    assert found.beats_both_ends


def test_leave_one_out_by_hand():
    # Five groups of one fail at .2 and one pass at .8: whichever is left out, the rest choose .5.
    human, score = np.tile([0.0, 1.0], 5), np.tile([0.2, 0.8], 5)
    found = nested(human, score, design_of(10, group=np.repeat(np.arange(5), 2)), Costs())
    assert (found.folds, found.units, found.cost.value) == (5, 5, 0.0)
    assert found.versus_pass_all.value == -0.5
    assert found.versus_pass_all.high is None  # five groups are too few for an interval


def test_four_groups_with_a_fail_are_not_estimable():
    group = np.repeat(np.arange(10), 4)
    human = (~((group < 4) & (np.arange(40) % 4 == 0))).astype(float)
    found = nested(human, np.linspace(0, 1, 40), design_of(40, group=group), Costs())
    assert found.cost is None
    assert found.reason == "not estimable by groups: 4 conversations that hold a fail for 5 folds"
    assert found.to_dict() == {"cost_per_case": None, "se": None, "reason": found.reason}


def test_three_failed_answers_are_too_few_and_no_zero():
    found = nested(np.array([0.0] * 3 + [1.0] * 30), np.linspace(0, 1, 33), design_of(33), Costs())
    assert "3 failed answers" in found.reason
    assert found.beats_both_ends is None


def test_folds_keep_groups_whole_and_each_holds_a_fail():
    holds_fail = np.array([True] * 7 + [False] * 16)
    for fold in _folds(holds_fail, 7, 20, seed=3):
        assert len(fold) == 23  # one fold a group, so a group cannot be split
        assert set(fold[holds_fail]) == set(range(7))
        assert np.ptp(np.bincount(fold)) <= 1


def test_a_group_that_repeats_one_answer_cannot_vouch_for_itself():
    # Noise scores, each case repeated 10 times: split cases would leak the answer and look nearly free.
    rng = np.random.default_rng(4)
    human = np.repeat((rng.random(40) < 0.5).astype(float), 10)
    score = np.repeat(rng.random(40), 10)
    group = np.repeat(np.arange(40), 10)
    by_group = nested(human, score, design_of(400, group=group), Costs())
    by_case = nested(human, score, design_of(400), Costs())
    assert by_group.cost.value > by_case.cost.value + 0.02
    assert by_group.cost.se > 2 * by_case.cost.se


def test_the_apparent_cost_is_too_good_on_average():
    gaps = []
    for seed in range(10):
        found = nested(*noisy(60, seed), design_of(60), Costs(5, 1))
        gaps.append(found.cost.value - found.apparent)
    assert np.mean(gaps) > 0.02


def test_a_judge_of_noise_does_not_beat_the_ends():
    assert not nested(*noisy(200, signal=0.0), design_of(200), Costs(5, 1)).beats_both_ends


def test_the_nested_cost_is_near_the_cost_on_new_cases():
    human, score = noisy(400, 1)
    fresh_human, fresh_score = noisy(20000, 99)
    threshold = recommend(error_curve(human, score), Costs(5, 1)).threshold
    judge = passes(fresh_score, threshold)
    new = np.mean(5 * (1 - fresh_human) * judge + fresh_human * ~judge)
    found = nested(human, score, design_of(400), Costs(5, 1))
    assert found.cost.value == pytest.approx(new, abs=2.5 * found.cost.se)


def test_the_same_seed_gives_the_same_figures_and_200_cases_take_a_moment():
    started = time.perf_counter()
    one, again = (nested(*noisy(200), design_of(200, seed=3), Costs(5, 1)) for _ in range(2))
    assert one == again
    assert time.perf_counter() - started < 2


def test_counts_are_whole_cases_though_the_rate_is_weighted():
    human, score = noisy(100)
    weight = np.where(np.arange(100) % 2, 3.0, 1.0)
    shown = nested(human, score, design_of(100, weight=weight), Costs(5, 1)).to_dict()["false_pass_rate"]
    assert shown["of"] == (human == 0).sum()
    assert 0 <= shown["count"] <= shown["of"]
