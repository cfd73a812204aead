"""Rows become the calibration table here and nowhere else."""

from __future__ import annotations

import math

import pytest

from calibration.frames import calibration_table, label_table
from calibration.services import resolve_evaluator
from cases.models import Sample, SampleItem
from cases.services import resolve_sample
from labeling.rules import parse_rule
from tests.calibration.judged import JUDGE, METRIC, judged, queries_of
from tests.cast import imported, project_of_lena, row

pytestmark = pytest.mark.django_db


def table(project, *, rule="majority", human_metric=METRIC, sample="tea"):
    found = resolve_sample(project, sample)
    evaluator = resolve_evaluator(project, found, METRIC, JUDGE)
    return calibration_table(found, evaluator, human_metric=human_metric, rule=parse_rule(rule))


def labels(*verdicts):
    return [
        {"annotator": name, "metric": METRIC, "verdict": verdict}
        for name, verdict in zip(("alice", "bob"), verdicts, strict=False)
    ]


def scored(value):
    return [{"judge": JUDGE, "metric": METRIC, "score": value}]


def test_a_case_is_one_row_with_both_sides(tmp_path):
    project, _ = project_of_lena()
    judged(project, tmp_path, [(1, 0.9), (0, 0.2), (None, 0.4), (1, None)])
    frame = table(project)
    assert frame["case_id"].tolist() == ["c-01", "c-02", "c-03", "c-04"]
    assert frame["human_pass"].tolist()[:2] == [1.0, 0.0]
    assert math.isnan(frame["human_pass"][2])
    assert not frame["undecided"][2]
    assert math.isnan(frame["score"][3])
    assert set(frame["blind"][:2]) == {"unknown"}  # imported


def test_a_tie_is_undecided_and_no_fail(tmp_path):
    project, _ = project_of_lena()
    imported(project, tmp_path, [row("tie", human=labels("pass", "fail"), judge=scored(0.5))])
    frame = table(project)
    assert math.isnan(frame["human_pass"][0])
    assert frame["undecided"][0]


def test_an_unscored_case_keeps_its_reason_and_an_inapplicable_one_is_told_apart(tmp_path):
    project, _ = project_of_lena()
    answers = [
        row("broken", human=labels("pass"), judge=[{"judge": JUDGE, "metric": METRIC, "error": "timeout"}]),
        row("none", human=labels("pass"), judge=[{"judge": JUDGE, "metric": METRIC, "not_applicable": "no context"}]),
        row("ok", human=labels("pass"), judge=scored(0.5)),
    ]
    imported(project, tmp_path, answers)
    frame = table(project)
    assert frame["unscored_reason"].tolist() == ["timeout", "", ""]
    assert frame["not_applicable"].tolist() == [False, True, False]


def test_equal_probabilities_are_no_weights_and_unequal_ones_are_one_over_p(tmp_path):
    project, _ = project_of_lena()
    judged(project, tmp_path, [(1, 0.9), (0, 0.2)])
    assert "weight" not in table(project).columns
    SampleItem.objects.filter(row__case__external_id="c-02").update(inclusion_probability=0.25)
    assert table(project)["weight"].tolist() == [1.0, 4.0]


def test_groups_are_there_only_when_one_repeats(tmp_path):
    project, _ = project_of_lena()
    judged(project, tmp_path, [(1, 0.9, "a"), (0, 0.2, "b")])
    assert "group" not in table(project).columns
    judged(project, tmp_path, [(1, 0.9, "a"), (0, 0.2, "a"), (1, 0.7, "")], "coffee")
    assert table(project, sample="coffee")["group"].tolist() == ["a", "a", ""]


def test_several_systems_are_part_of_the_case_id(tmp_path):
    project, _ = project_of_lena()
    twice = [row("c-1", system=name, human=labels("pass"), judge=scored(0.5)) for name in ("old", "new")]
    imported(project, tmp_path, twice)
    assert table(project)["case_id"].tolist() == ["c-1 (old)", "c-1 (new)"]


def test_the_queries_do_not_grow_with_the_sample(tmp_path):
    project, _ = project_of_lena()
    judged(project, tmp_path, [(1, 0.9), (0, 0.2)])
    judged(project, tmp_path, [(k % 2, k / 40) for k in range(40)], "coffee")
    counts = []
    for name in ("tea", "coffee"):
        sample = resolve_sample(project, name)
        evaluator = resolve_evaluator(project, sample, METRIC, JUDGE)
        counts.append(queries_of(lambda s=sample, e=evaluator: calibration_table(s, e, human_metric=METRIC, rule=RULE)))
    assert counts[0] == counts[1] <= 6


RULE = parse_rule("majority")


def test_labels_as_a_table_hold_grades_as_they_were_given(tmp_path):
    project, _ = project_of_lena()
    graded = [{"annotator": "alice", "metric": METRIC, "grade": 3, "scale": [1, 4]}]
    imported(project, tmp_path, [row("a", human=graded), row("b", human=labels("pass", "unsure"))])
    frame = label_table(resolve_sample(project, "tea"), METRIC)
    said = {(each.case_id, each.annotator): each.label for each in frame.itertuples()}
    assert said == {("a", "alice"): "3", ("a", "bob"): None, ("b", "alice"): "pass", ("b", "bob"): None}
    assert Sample.objects.count() == 1
