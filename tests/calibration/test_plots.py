"""Where the marks of the calibration chart lie: the drawing shows what the curve says."""

from __future__ import annotations

import re

import pytest

from calibration.plots.chart import MOST_MARKS, chart, cost_unit, step_path
from calibration.plots.layout import NARROW, WIDE
from calibration.statistics.costs import Costs
from calibration.statistics.curves import error_curve

SCORES = [0.2, 0.4, 0.8, 0.9]


def drawn(frame=WIDE, *, human=(0, 1, 1, 0), scores=SCORES, weight=None, costs=Costs(), threshold=0.5):  # noqa: B008
    """f .2 | p .4 | p .8 | f .9"""
    return chart(frame, curve=error_curve(human, scores, weight), costs=costs, threshold=threshold)


@pytest.mark.parametrize("frame", [WIDE, NARROW])
def test_solid_marks_are_the_mistakes(frame):
    # At .5 the judge passes .8 and .9: the fail at .9 is a false pass, the pass at .4 a false fail.
    wrong = [(mark.side, mark.steps) for mark in drawn(frame).marks if not mark.is_right]
    assert wrong == [("fail", 900_000_000), ("pass", 400_000_000)]


def test_failed_answers_lie_above_the_line_and_passed_ones_below():
    for mark in drawn().marks:
        assert (float(mark.y) < WIDE.strip) == (mark.side == "fail")


def test_the_curves_step_from_pass_all_to_pass_none():
    # Of two fails passed: 1, then .5 above .2, 0 above .9; on an axis of 216 down from 186 to 402.
    assert drawn().lines["fail"] == "M168.0 186.0H323.2V294.0H478.4V294.0H788.8V294.0H866.4V402.0H944.0"
    assert drawn().lines["pass"] == "M168.0 402.0H323.2V402.0H478.4V294.0H788.8V186.0H866.4V186.0H944.0"


def test_a_class_without_a_case_has_no_curve():
    found = drawn(human=[1, 1, 1, 1])
    assert set(found.lines) == {"pass"}
    assert "fail" not in found.cut


def test_nothing_at_all_is_an_empty_drawing():
    found = drawn(human=[], scores=[])
    assert (found.marks, found.lines, found.cost_line) == ((), {}, "")


def test_cost_is_per_case_at_every_candidate():
    # 5 : 1 over four cases: pass all 2 x 5, then one fail fewer, one and two false fails, pass none: 10, 5, 6, 7, 2
    # of 4. The axis reads 5 at 110 of its 132 pixels, from 566 up.
    found = drawn(costs=Costs(5, 1))
    heights = [566 - 110 * cost / 4 / found.cost_unit for cost in (10, 5, 6, 7, 2)]
    assert found.cost_line.startswith(f"M168.0 {heights[0]:.1f}")
    assert re.findall(r"V([\d.]+)", found.cost_line) == [f"{height:.1f}" for height in heights[1:]]


@pytest.mark.parametrize(("ends", "unit"), [((1.0, 0.2), 1), ((2.5, 0.5), 5), ((0.05, 0.0), 0.05), ((1.2, 1.2), 1)])
def test_the_cost_axis_ends_at_a_round_number_that_both_ends_fit_under(ends, unit):
    assert cost_unit(ends) == pytest.approx(unit)
    assert max(ends) <= cost_unit(ends) * 1.2 + 1e-12


def test_a_step_keeps_its_height_up_to_the_score():
    # On an axis of 776 from 168: .5 lies at 556.
    assert step_path(WIDE, [500_000_000], [10, 20]) == "M168.0 10.0H556.0V20.0H944.0"


def test_steps_closer_than_a_tenth_of_a_pixel_are_one():
    assert step_path(WIDE, [500_000_000, 500_000_001], [10, 15, 20]) == "M168.0 10.0H556.0V20.0H944.0"


def test_many_answers_share_a_mark_and_a_high_pile_stays_in_its_strip():
    found = drawn(human=[0, 1], scores=[0.2, 0.4], weight=[5000, 5000])
    assert found.each == 17  # 10,000 / 600 rounded up
    assert len(found.marks) <= MOST_MARKS
    assert min(float(mark.y) for mark in found.marks) > 25  # below the grip of the threshold


def test_the_wide_and_the_narrow_drawing_show_the_same_marks():
    assert [mark.steps for mark in drawn(WIDE).marks] == [mark.steps for mark in drawn(NARROW).marks]
