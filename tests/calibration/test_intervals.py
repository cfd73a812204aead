"""Intervals: statsmodels and scipy as oracles, coverage where a bootstrap stands, and no interval out of domain."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import beta
from statsmodels.stats.proportion import proportion_confint

from calibration.statistics.intervals import clopper_pearson, rate, ratio, wilson
from calibration.statistics.resampling import Design, design_of, replicates


@pytest.mark.parametrize(("count", "n"), [(0, 4), (4, 4), (5, 45), (21, 150), (1, 1), (500, 1000)])
def test_wilson_and_clopper_pearson_are_statsmodels(count, n):
    assert wilson(count, n) == pytest.approx(proportion_confint(count, n, method="wilson"), abs=1e-12)
    assert clopper_pearson(count, n) == pytest.approx(proportion_confint(count, n, method="beta"), abs=1e-12)


def test_clopper_pearson_is_the_beta_quantile():
    assert clopper_pearson(3, 20, 0.9)[1] == pytest.approx(beta.ppf(0.95, 4, 17))


def test_none_of_four_reaches_to_49_percent_and_is_no_certain_zero():
    low, high = wilson(0, 4)
    assert (low, round(high, 4)) == (0.0, 0.4899)


def test_no_interval_over_nothing():
    with pytest.raises(ValueError, match="no share"):
        wilson(0, 0)
    with pytest.raises(ValueError, match="no share"):
        wilson(5, 4)


def test_independent_cases_get_wilson():
    found = rate([1, 0, 0, 0], [1, 1, 1, 1], Design(4))
    assert (found.low, found.high) == wilson(1, 4)
    assert (found.value, found.count, found.of, found.method) == (0.25, 1, 4, "Wilson, 95 %")


def test_a_rate_over_no_case_is_undefined_and_says_so():
    found = rate([0, 0], [0, 0], Design(2), absent="people failed no case")
    assert (found.value, found.low, found.high) == (None, None, None)
    assert found.method == "not defined: people failed no case"


def test_eight_conversations_are_too_few_for_an_interval():
    group = np.repeat(np.arange(8), 25)
    found = rate(np.tile([1, 0], 100), np.ones(200), design_of(200, group=group))
    assert (found.value, found.low, found.high) == (0.5, None, None)
    assert found.method == "8 conversations are too few for an interval"


def test_groups_that_never_repeat_are_independent_cases():
    assert design_of(4, group=["a", "b", "c", "d"]) == Design(4)
    assert rate([1, 0, 0, 0], np.ones(4), design_of(4, group=["a", "b", "c", "d"])).method == "Wilson, 95 %"


def test_forty_groups_of_which_ten_hold_a_fail_are_too_few_for_the_fails():
    group = np.repeat(np.arange(40), 5)
    base = (group < 10).astype(float)
    found = rate(base * np.tile([1, 0, 0, 0, 0], 40), base, design_of(200, group=group))
    assert found.low is None
    assert found.method.startswith("10 conversations")


def test_five_copies_of_each_case_do_not_narrow_the_interval():
    # 60 groups of five equal cases hold what 60 cases hold: the t interval must not look like n = 300.
    truth = np.random.default_rng(1).integers(0, 2, 60)
    found = rate(np.repeat(truth, 5), np.ones(300), design_of(300, group=np.repeat(np.arange(60), 5)))
    low, high = wilson(int(truth.sum()), 60)
    assert found.high - found.low == pytest.approx(high - low, rel=0.1)
    assert "t over 60 conversations" in found.method


def test_the_linearised_error_of_equal_groups_is_that_of_the_mean():
    top = np.array([0.0, 1.0, 1.0, 1.0])
    value, error, units = ratio(top, np.ones(4), np.arange(4))
    assert (value, units) == (0.75, 4)
    assert error == pytest.approx(top.std(ddof=1) / 2)


def test_zero_errors_among_many_groups_is_not_zero_to_zero():
    found = rate(np.zeros(200), np.ones(200), design_of(200, group=np.repeat(np.arange(50), 4)))
    assert found.low == 0.0
    # 50 conversations of the same size count like 50 cases.
    assert found.high == pytest.approx(wilson(0, 50)[1])
    assert "Wilson on the effective n" in found.method


def test_equal_weights_are_no_weights():
    assert design_of(3, weight=[2.5, 2.5, 2.5]).weight is None


def test_weights_make_a_bootstrap_with_kishs_n_said():
    weight = np.tile([1.0, 3.0], 50)
    hit = np.tile([1.0, 0.0, 0.0, 1.0], 25)
    found = rate(hit, np.ones(100), design_of(100, weight=weight))
    assert found.value == pytest.approx(0.5)
    # Kish: (50 * 1 + 50 * 3)^2 / (50 * 1 + 50 * 9) = 40000 / 500 = 80.
    assert found.method == "case bootstrap, 95 %, effective n 80.0"
    assert found.high - found.low == pytest.approx(2 * 1.96 * np.sqrt(0.25 / 80), rel=0.1)


def test_weighted_zero_errors_fall_to_wilson_on_the_effective_n():
    found = rate(np.zeros(100), np.ones(100), design_of(100, weight=np.tile([1.0, 3.0], 50)))
    assert (found.low, found.high) == pytest.approx(wilson(0, 80))
    assert found.count == 0


def test_few_effective_cases_get_no_interval():
    found = rate([1, 0, 0], np.ones(3), design_of(3, weight=[1.0, 2.0, 3.0]))
    assert (found.low, found.high) == (None, None)
    assert "too few for an interval" in found.method


def test_soft_labels_get_a_bootstrap_or_nothing():
    soft = np.tile([0.2, 0.8, 1.0], 40)
    assert "bootstrap of soft labels" in rate(soft, np.ones(120), design_of(120, soft=True)).method
    flat = rate(np.zeros(120), np.ones(120), design_of(120, soft=True))
    assert (flat.low, flat.high) == (None, None)


def test_strata_are_drawn_on_their_own():
    # Each stratum is constant, so drawing within strata changes nothing at all.
    stratum = np.repeat([0, 1], 50)
    sums = replicates(stratum[:, None].astype(float), design_of(100, stratum=stratum))
    assert set(sums[:, 0]) == {50.0}
    free = replicates(stratum[:, None].astype(float), design_of(100))
    assert free[:, 0].std() == pytest.approx(5, rel=0.1)


def test_the_same_seed_draws_the_same_samples():
    amounts = np.random.default_rng(0).random((50, 2))
    one, again, other = (replicates(amounts, design_of(50, seed=seed)) for seed in (1, 1, 2))
    assert (one == again).all()
    assert not (one == other).all()


def test_a_group_bootstrap_has_the_spread_of_group_totals():
    group = np.repeat(np.arange(100), 4)
    amounts = np.repeat(np.random.default_rng(2).random(100), 4)[:, None]
    sums = replicates(amounts, design_of(400, group=group))
    totals = np.bincount(group, amounts[:, 0])
    assert sums[:, 0].std() == pytest.approx(10 * totals.std(), rel=0.07)
