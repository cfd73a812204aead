"""The certificate: the published sample sizes, scipy's binomial, its domain, and how often it is wrong."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import beta, binom

from calibration.statistics.certificate import certify, fails_needed, most_false_passes
from calibration.statistics.resampling import design_of


def certificate(human, score, *, alpha=0.05, delta=0.05, are_blind=True, recommended=0.9, **design):
    human, score = np.asarray(human, float), np.asarray(score, float)
    made = design_of(len(human), **design)
    return certify(human, score, made, alpha=alpha, delta=delta, are_blind=are_blind, recommended=recommended)


def test_the_failed_answers_needed_are_the_published_ones():
    assert [fails_needed(0.05, 0.05, k) for k in range(6)] == [59, 93, 124, 153, 181, 208]
    assert fails_needed(0.10, 0.05) == 29


@pytest.mark.parametrize("fails", [1, 28, 29, 58, 59, 92, 93, 500])
@pytest.mark.parametrize("alpha", [0.05, 0.1, 0.2])
def test_the_allowed_false_passes_are_scipys(fails, alpha):
    allowed = [k for k in range(fails) if binom.cdf(k, fails, alpha) <= 0.05]
    most = most_false_passes(fails, alpha, 0.05)
    assert most == max(allowed, default=-1)
    if most >= 0:  # the same by Clopper and Pearson
        assert beta.ppf(0.95, most + 1, fails - most) <= alpha < beta.ppf(0.95, most + 2, fails - most - 1)


def test_twenty_failed_answers_lack_39():
    found = certificate([0] * 20 + [1] * 50, [0.1] * 20 + [0.9] * 50)
    assert (found.certified_from, found.holds, found.missing) == (None, False, ("39 more failed answers",))


def test_58_lack_one_and_59_without_a_false_pass_are_enough():
    assert certificate([0] * 58, [0.1] * 58).missing == ("1 more failed answer",)
    found = certificate([0] * 59, [0.1] * 59)
    assert (found.certified_from, found.holds) == (0.100000001, True)


def test_it_is_about_the_threshold_just_above_the_first_score_too_many():
    # 93 fails allow one false pass: the one at .9 may pass, the next, at .6, may not.
    score = [0.9, 0.6] + [0.1] * 91
    assert certificate([0] * 93, score, recommended=0.7).certified_from == 0.600000001
    assert certificate([0] * 93, score, recommended=0.7).holds
    below = certificate([0] * 93, score, recommended=0.6)
    assert not below.holds
    assert "0.6 is below it" in below.missing[0]


def test_ties_only_make_it_stricter():
    assert certificate([0] * 93, [0.9, 0.9] + [0.1] * 91, recommended=0.95).certified_from == 0.900000001


def test_where_only_passing_none_is_certain_nothing_is_certified():
    found = certificate([0] * 59, [1.0] * 59)
    assert (found.certified_from, found.holds) == (None, False)
    assert "at most 0 failed answers" in found.missing[0]


def test_outside_its_domain_there_is_none_and_each_reason_is_named():
    human, score = [0] * 100, [0.1] * 100
    assert certificate(human, score, are_blind=False).missing == ("labels known to be blind",)
    assert "one case per conversation" in certificate(human, score, group=np.repeat(np.arange(50), 2)).missing[0]
    assert certificate(human, score, weight=np.tile([1.0, 2.0], 50)).missing == ("an unweighted sample",)
    assert certificate(human, score, soft=True).missing == ("whole labels instead of soft ones",)
    assert certificate(human, score, group=np.arange(100)).holds


def test_without_a_recommendation_it_cannot_hold():
    found = certificate([0] * 59, [0.1] * 59, recommended=None)
    assert (found.holds, found.missing) == (False, ("a recommended threshold",))


def test_alpha_and_delta_outside_0_to_1_are_refused():
    for alpha, delta in [(0, 0.05), (1, 0.05), (0.05, 0), (0.05, 1)]:
        with pytest.raises(ValueError, match="between 0 and 1"):
            certificate([0], [0.1], alpha=alpha, delta=delta)


def test_it_is_wrong_in_at_most_5_of_100_samples():
    # Fails score uniformly, so the true false-pass rate at t is 1 - t: wrong when certified_from < 1 - alpha.
    rng = np.random.default_rng(1)
    wrong = sum(
        certificate([0] * 80, rng.random(80), alpha=0.1, recommended=1.0).certified_from < 0.9 for _ in range(2000)
    )
    assert wrong / 2000 <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 2000)
    assert wrong > 0
