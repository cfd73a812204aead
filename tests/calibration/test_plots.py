"""Where the marks of the calibration chart lie: the drawing shows what the curve says."""

from __future__ import annotations

import pytest

from calibration.plots.chart import MOST_MARKS, chart, cost_per_case, cost_unit, place_of, rates, step_path
from calibration.plots.layout import NARROW, WIDE

#: f .2 | p .4 | p .8 | f .9
FOUR = {"levels": [200_000_000, 400_000_000, 800_000_000, 900_000_000], "fails": [1, 0, 0, 1], "passes": [0, 1, 1, 0]}


def drawn(frame=WIDE, threshold=0.5, **changed):
    return chart(frame, **{**FOUR, "costs": (1, 1), "threshold": threshold, **changed})


@pytest.mark.parametrize("frame", [WIDE, NARROW])
def test_solid_marks_are_the_mistakes(frame):
    # At .5 the judge passes .8 and .9: the fail at .9 is a false pass, the pass at .4 a false fail.
    wrong = [(mark.side, mark.steps) for mark in drawn(frame).marks if not mark.is_right]
    assert wrong == [("fail", 900_000_000), ("pass", 400_000_000)]


def test_failed_answers_lie_above_the_line_and_passed_ones_below():
    for mark in drawn().marks:
        assert (float(mark.y) < WIDE.strip) == (mark.side == "fail")


def test_rates_step_from_pass_all_to_pass_none():
    false_pass, false_fail = rates(FOUR["fails"], FOUR["passes"])
    assert false_pass == [1, 0.5, 0.5, 0.5, 0]
    assert false_fail == [0, 0, 0.5, 1, 1]


def test_a_class_without_a_case_has_no_curve():
    found = drawn(fails=[0, 0, 0, 0])
    assert set(found.lines) == {"pass"}
    assert "fail" not in found.cut


def test_nothing_at_all_is_an_empty_drawing():
    found = chart(WIDE, levels=[], fails=[], passes=[], costs=(1, 1), threshold=0.5)
    assert (found.marks, found.lines, found.cost_line) == ((), {}, "")


def test_cost_is_per_case_at_every_candidate():
    # 5 : 1 over four cases: pass all 2 x 5, then one fail fewer, one and two false fails, pass none.
    assert cost_per_case(FOUR["fails"], FOUR["passes"], (5, 1)) == [10 / 4, 5 / 4, 6 / 4, 7 / 4, 2 / 4]


@pytest.mark.parametrize(("ends", "unit"), [((1.0, 0.2), 1), ((2.5, 0.5), 5), ((0.05, 0.0), 0.05), ((1.2, 1.2), 1)])
def test_the_cost_axis_ends_at_a_round_number_that_both_ends_fit_under(ends, unit):
    assert cost_unit(ends) == pytest.approx(unit)
    assert max(ends) <= cost_unit(ends) * 1.2 + 1e-12


def test_a_threshold_belongs_to_the_range_that_ends_at_the_next_score():
    places = {0.1: 0, 0.2: 0, 0.200000001: 1, 0.8: 2, 0.9: 3, 0.91: 4, float("inf"): 4, float("-inf"): 0}
    assert {threshold: place_of(FOUR["levels"], threshold) for threshold in places} == places


def test_a_step_keeps_its_height_up_to_the_score():
    # On an axis of 776 from 168: .5 lies at 556.
    assert step_path(WIDE, [500_000_000], [10, 20]) == "M168.0 10.0H556.0V20.0H944.0"


def test_steps_closer_than_a_tenth_of_a_pixel_are_one():
    assert step_path(WIDE, [500_000_000, 500_000_001], [10, 15, 20]) == "M168.0 10.0H556.0V20.0H944.0"


def test_many_answers_share_a_mark_and_a_high_pile_stays_in_its_strip():
    found = drawn(fails=[5000, 0, 0, 0], passes=[0, 5000, 0, 0])
    assert found.each == 17  # 10,000 / 600 rounded up
    assert len(found.marks) <= MOST_MARKS
    assert min(float(mark.y) for mark in found.marks) > 25  # below the grip of the threshold


def test_the_wide_and_the_narrow_drawing_show_the_same_marks():
    assert [mark.steps for mark in drawn(WIDE).marks] == [mark.steps for mark in drawn(NARROW).marks]
