import pytest

from evaluation.strips import severe, strip_of


def test_a_bar_for_each_step_of_two_hundredths_that_holds_a_score():
    strip = strip_of({0.0: 1, 0.5: 4, 1.0: 2})
    assert [(bar.x, bar.height) for bar in strip.bars] == [("0.5", "7.0"), ("150.5", "28.0"), ("294.5", "14.0")]
    assert strip.cases == 7


def test_one_case_among_thousands_is_still_seen():
    assert strip_of({0.1: 1, 0.9: 5000}).bars[0].height == "1.5"


@pytest.mark.parametrize(("score", "is_severe"), [(0.0, True), (0.2, True), (0.21, False), (1.0, False)])
def test_a_score_of_the_cut_itself_is_severe(score, is_severe):
    (bar,) = strip_of({score: 1}).bars
    assert bar.is_severe is is_severe
    assert severe({score: 1}) == is_severe


def test_no_scores_make_no_bars():
    assert strip_of({}).bars == ()
