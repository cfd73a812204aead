from hypothesis import given
from hypothesis import strategies as st

from labeling.allocation import by_priority, random_within_strata


@given(st.lists(st.sampled_from(["low", "middle", "high"]), max_size=60), st.integers(0, 99))
def test_every_case_comes_once_whatever_the_strata(strata, seed):
    assert sorted(random_within_strata(strata, seed=seed)) == list(range(len(strata)))


def test_stopping_half_way_leaves_every_stratum_half_done():
    # 20 of a and 10 of b: half of the whole is 10 and 5.
    strata = ["a"] * 20 + ["b"] * 10
    first = [strata[index] for index in random_within_strata(strata, seed=3)[:15]]
    assert (first.count("a"), first.count("b")) == (10, 5)


def test_the_seed_decides_the_order():
    strata = ["a"] * 50
    assert random_within_strata(strata, seed=1) == random_within_strata(strata, seed=1)
    assert random_within_strata(strata, seed=1) != random_within_strata(strata, seed=2)


def test_priority_puts_the_highest_first_and_keeps_ties_in_order():
    assert by_priority([0.1, 0.9, 0.9, 0.5]) == [1, 2, 3, 0]
