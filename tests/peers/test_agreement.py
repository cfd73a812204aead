"""Alpha and kappa as krippendorff, scikit-learn and statsmodels compute them, over random labels with gaps."""

from __future__ import annotations

import krippendorff
import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

from calibration.statistics import agreement

GRADES = [1, 2, 3, 4, 5]


def grades(seed: int, *, raters: int, cases: int = 60, missing: float = 0.0) -> np.ndarray:
    """Raters by cases: a true grade, blurred by each rater; NaN where a label is missing."""
    random = np.random.default_rng(seed)
    truth = random.integers(1, 6, cases)
    given = np.clip(truth + random.integers(-1, 2, (raters, cases)), 1, 5).astype(float)
    given[random.random((raters, cases)) < missing] = np.nan
    return given


def columns(given: np.ndarray) -> dict[str, list[int | None]]:
    return {f"r{i}": [None if np.isnan(grade) else int(grade) for grade in row] for i, row in enumerate(given)}


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("distance", ["nominal", "ordinal", "interval"])
def test_alpha_is_the_one_of_krippendorff(distance, seed):
    given = grades(seed, raters=4, missing=0.3)
    counts, _ = agreement.count_table(columns(given), GRADES)
    ours = agreement.krippendorff_alpha(counts, distance=distance, scale=GRADES)
    theirs = krippendorff.alpha(reliability_data=given, value_domain=GRADES, level_of_measurement=distance)
    assert ours.value == pytest.approx(theirs, abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("weights", [None, "linear", "quadratic"])
def test_kappa_of_two_is_the_one_of_scikit_learn(weights, seed):
    one, other = grades(seed, raters=2).astype(int)
    table = agreement.pair_table(one.tolist(), other.tolist(), GRADES)
    ours = agreement.cohen_kappa(table, weights=weights)
    assert ours.value == pytest.approx(cohen_kappa_score(one, other, labels=GRADES, weights=weights), abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_kappa_of_many_is_fleiss_as_in_statsmodels(seed):
    given = grades(seed, raters=3)
    counts, _ = agreement.count_table(columns(given), GRADES)
    table, _ = aggregate_raters(given.astype(int).T)
    assert agreement.fleiss_kappa(counts).value == pytest.approx(fleiss_kappa(table), abs=1e-12)
