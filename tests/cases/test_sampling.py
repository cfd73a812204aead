"""Samples whose probabilities are exact, so that weights undo what the design did."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cases.sampling import DESIGNS, SamplingError, allocate, band_names, combined_probability, draw

NAN = math.nan


def test_a_simple_sample_gives_every_case_the_same_chance():
    drawn = draw(10, design="simple", size=4, seed=7)
    assert len(set(drawn.indices.tolist())) == 4
    assert drawn.probabilities.tolist() == [0.4] * 4
    assert drawn.gaps == ()


def test_all_is_every_case_with_certainty():
    drawn = draw(5, design="all", seed=1)
    assert sorted(drawn.indices.tolist()) == [0, 1, 2, 3, 4]
    assert drawn.probabilities.tolist() == [1.0] * 5


def test_more_than_there_is_gives_all_there_is():
    assert draw(3, design="simple", size=100).probabilities.tolist() == [1.0] * 3


def test_proportional_and_equal_allocation():
    strata = ["en"] * 90 + ["vi"] * 10
    proportional = draw(100, design="stratified", strata=strata, size=20, seed=3)
    assert proportional.drawn == {"en": 18, "vi": 2}
    assert set(proportional.probabilities.tolist()) == {0.2}
    equal = draw(100, design="stratified", strata=strata, size=20, seed=3, allocation="equal")
    assert equal.drawn == {"en": 10, "vi": 10}
    by_stratum = dict(zip(equal.strata, equal.probabilities.tolist(), strict=True))
    assert by_stratum == {"en": 10 / 90, "vi": 1.0}


def test_a_small_stratum_is_never_left_out_and_leaves_its_share_to_others():
    assert allocate(20, {"a": 2, "b": 5, "c": 93}, {"a": 1.0, "b": 1.0, "c": 1.0}) == {"a": 2, "b": 5, "c": 13}
    assert allocate(10, {"a": 1, "b": 999}, {"a": 1.0, "b": 999.0}) == {"a": 1, "b": 9}


def test_score_bands_with_the_unscored_as_their_own():
    scores = [0.1, 0.49, 0.5, 0.69, 0.7, 0.95, 1.0, NAN]
    assert band_names(scores) == [
        "below 0.5",
        "below 0.5",
        "[0.5, 0.7)",
        "[0.5, 0.7)",
        "[0.7, 0.9)",
        "0.9 and above",
        "0.9 and above",
        "unscored",
    ]
    drawn = draw(8, design="score-band", scores=scores, size=5, seed=2)
    assert drawn.drawn == {"0.9 and above": 1, "[0.5, 0.7)": 1, "[0.7, 0.9)": 1, "below 0.5": 1, "unscored": 1}


def test_a_band_left_out_on_purpose_is_named():
    scores = [0.2, 0.3, 0.96, 0.97]
    drawn = draw(4, design="score-band", scores=scores, cuts=[0.95], allocation={"below 0.95": 2})
    assert drawn.gaps == ("0.95 and above",)
    assert sorted(drawn.indices.tolist()) == [0, 1]


def test_fewer_cases_than_strata_names_the_strata_without_any():
    drawn = draw(6, design="stratified", strata=["a", "a", "a", "b", "b", "c"], size=2)
    assert (set(drawn.strata), drawn.gaps) == ({"a", "b"}, ("c",))


def test_the_same_seed_draws_the_same_and_another_does_not():
    first, again, other = (draw(1000, design="simple", size=50, seed=seed) for seed in (7, 7, 8))
    assert first.indices.tolist() == again.indices.tolist()
    assert first.indices.tolist() != other.indices.tolist()


def test_this_draw_stays_what_it_is_on_every_machine():
    assert draw(10, design="simple", size=5, seed=7).indices.tolist() == [0, 9, 5, 7, 2]


def test_the_order_alternates_the_strata():
    drawn = draw(200, design="stratified", strata=["a"] * 100 + ["b"] * 100, size=100, seed=5, allocation="equal")
    assert Counter(drawn.strata[:20])["a"] == 10


def test_the_order_within_a_stratum_is_random():
    # Over many seeds every case of a stratum comes first about as often: 600 draws, 6 cases, 100 each.
    firsts = Counter(int(draw(6, design="all", seed=seed).indices[0]) for seed in range(600))
    assert set(firsts) == set(range(6))
    assert all(60 < count < 140 for count in firsts.values())  # 100 +- 4.4 standard deviations


def test_each_case_is_drawn_as_often_as_its_probability_says():
    strata = ["a"] * 4 + ["b"] * 12
    counts = np.zeros(16)
    for seed in range(2000):
        counts[draw(16, design="stratified", strata=strata, size=6, seed=seed, allocation="equal").indices] += 1
    expected = np.array([3 / 4] * 4 + [3 / 12] * 12)
    assert np.abs(counts / 2000 - expected).max() < 0.05  # 5 standard deviations of .75 over 2000


@given(
    strata=st.lists(st.sampled_from("abcd"), min_size=1, max_size=60),
    size=st.integers(1, 80),
    seed=st.integers(0, 2**32),
    allocation=st.sampled_from(["proportional", "equal"]),
)
@settings(deadline=None)
def test_weights_add_up_to_the_dataset_and_every_stratum_is_covered(strata, size, seed, allocation):
    n = len(strata)
    drawn = draw(n, design="stratified", strata=strata, size=size, seed=seed, allocation=allocation)
    assert len(drawn.indices) == len(set(drawn.indices.tolist())) == min(size, n)
    assert all(strata[at] == name for at, name in zip(drawn.indices, drawn.strata, strict=True))
    covered = sum(drawn.population[name] for name in drawn.drawn if name not in drawn.gaps)
    assert (1 / drawn.probabilities).sum() == pytest.approx(covered)
    if size >= len(set(strata)):
        assert drawn.gaps == ()
        assert covered == n


@given(scores=st.lists(st.floats(0, 1) | st.just(NAN), min_size=1, max_size=60), seed=st.integers(0, 1000))
@settings(deadline=None)
def test_score_bands_likewise(scores, seed):
    drawn = draw(len(scores), design="score-band", scores=scores, size=10, seed=seed)
    if not drawn.gaps:
        assert (1 / drawn.probabilities).sum() == pytest.approx(len(scores))
    unscored = {at for at, score in enumerate(scores) if math.isnan(score)}
    assert {int(at) for at, name in zip(drawn.indices, drawn.strata, strict=True) if name == "unscored"} <= unscored


def test_a_total_estimated_by_weights_is_right_on_average():
    # Values 0..19 sum to 190; the low half is drawn at 2 of 10, the high half at 8 of 10.
    strata, values = ["low"] * 10 + ["high"] * 10, np.arange(20.0)
    totals = []
    for seed in range(1500):
        drawn = draw(20, design="stratified", strata=strata, allocation={"low": 2, "high": 8}, seed=seed)
        totals.append(float((values[drawn.indices] / drawn.probabilities).sum()))
    assert np.mean(totals) == pytest.approx(190, abs=2)


def test_waves_combine():
    assert combined_probability([0.2, 1.0], [0.5, 0.0], [0.0, 0.3]).tolist() == [0.6, 1.0]
    assert combined_probability([0.2]).tolist() == [0.2]


def test_the_design_is_inferred_from_what_is_given():
    assert draw(2, size=1).population == {"all": 2}
    assert draw(2, size=2, strata=["a", "b"]).population == {"a": 1, "b": 1}
    assert draw(2, size=2, scores=[0.1, NAN]).population == {"below 0.5": 1, "unscored": 1}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"design": "cluster", "size": 1}, "'cluster' is no design; the designs are " + ", ".join(DESIGNS)),
        ({"design": "simple"}, "size of at least 1, not None"),
        ({"design": "simple", "size": 0}, "size of at least 1, not 0"),
        ({"design": "stratified", "size": 1}, "A stratified sample needs strata"),
        ({"design": "score-band", "size": 1}, "A score-band sample needs scores"),
        ({"design": "stratified", "strata": ["a"], "size": 1}, "3 cases, but 1 strata"),
        ({"design": "score-band", "scores": [0.1] * 3, "cuts": [0.5, 0.5], "size": 1}, "not ascending"),
        ({"design": "stratified", "strata": ["a"] * 3, "size": 1, "allocation": "even"}, "'even' is no allocation"),
        ({"design": "stratified", "strata": ["a"] * 3, "allocation": {"b": 1}}, "no stratum 'b'"),
        ({"design": "stratified", "strata": ["a"] * 3, "allocation": {"a": 4}}, "4 cases cannot be drawn from the 3"),
        ({"design": "stratified", "strata": ["a"] * 3, "allocation": {"a": 0}}, "draws no case"),
    ],
)
def test_what_cannot_be_drawn_is_said(arguments, message):
    with pytest.raises(SamplingError, match=message.replace("(", r"\(")):
        draw(3, **arguments)


def test_an_empty_dataset_gives_an_empty_sample():
    drawn = draw(0, design="all")
    assert (len(drawn.indices), drawn.strata, drawn.gaps) == (0, (), ())
