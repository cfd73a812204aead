"""A calibration is computed from the database, frozen byte for byte, and says what has changed since."""

from __future__ import annotations

import json

import pytest

from calibration import services
from calibration.models import Calibration
from cases.models import AuditEntry
from cases.services import resolve_sample
from tests.calibration.judged import JUDGE, METRIC, judged
from tests.cast import imported, project_of_lena, row

pytestmark = pytest.mark.django_db

#: f .2 | p .6 p .9: any threshold in (.2, .6] is right everywhere; .4 is its middle.
GAP = [(0, 0.2), (1, 0.6), (1, 0.9)]


@pytest.fixture
def tea(tmp_path):
    project, _ = project_of_lena()
    judged(project, tmp_path, GAP)
    sample = resolve_sample(project, "tea")
    return project, sample, services.resolve_evaluator(project, sample, METRIC, JUDGE)


def relabel(project, folder, verdicts):
    """Import the same cases again with other verdicts by alice."""
    said = [
        row(f"c-{n:02}", human=[{"annotator": "alice", "metric": METRIC, "verdict": verdict}])
        for n, verdict in enumerate(verdicts, 1)
    ]
    imported(project, folder, said)


def test_computing_finds_the_threshold_between_fails_and_passes(tea):
    _, sample, evaluator = tea
    document = services.compute(sample, evaluator, costs=(5, 1)).document
    assert document["recommended_threshold"] == 0.4
    assert all(document[name] for name in ("label_hash", "scores_hash", "dataset_hash", "sample_hash"))
    assert document["evaluator"]["fingerprint"] == evaluator.fingerprint


def test_freezing_keeps_the_bytes_under_the_next_number_and_is_logged(tea):
    _, sample, evaluator = tea
    ask = services.ask_for(sample, evaluator, cost_false_pass=5.0, cost_false_fail=1.0)
    frozen = services.freeze(sample, evaluator, ask)
    assert (frozen.name, frozen.state) == ("faithfulness-1", "inconclusive")
    assert json.loads(frozen.snapshot)["calibration"] == "faithfulness-1"
    assert AuditEntry.objects.get(action="freeze calibration").data == {"sha256": frozen.sha256}


def test_freezing_the_same_again_gives_the_same_one_and_another_request_the_next(tea):
    _, sample, evaluator = tea
    ask = services.ask_for(sample, evaluator)
    assert services.freeze(sample, evaluator, ask) == services.freeze(sample, evaluator, ask)
    assert services.freeze(sample, evaluator, services.ask_for(sample, evaluator, seed=1)).number == 2


def test_it_says_how_many_labels_changed_and_its_numbers_stay(tea, tmp_path):
    project, sample, evaluator = tea
    frozen = services.freeze(sample, evaluator, services.ask_for(sample, evaluator))
    before = frozen.snapshot
    assert services.staleness(frozen) == []
    relabel(project, tmp_path, ["pass", "fail", "pass"])  # the first two turn round
    (sentence,) = services.staleness(Calibration.objects.get(pk=frozen.pk))
    assert "2 labels changed since" in sentence
    assert Calibration.objects.get(pk=frozen.pk).snapshot == before


def test_a_changed_score_makes_it_stale_too(tea, tmp_path):
    project, sample, evaluator = tea
    frozen = services.freeze(sample, evaluator, services.ask_for(sample, evaluator))
    imported(project, tmp_path, [row("c-01", judge=[{"judge": JUDGE, "metric": METRIC, "score": 0.3}])])
    assert ["scores" in sentence for sentence in services.staleness(frozen)] == [True]


def test_a_calibration_is_found_by_name_and_by_number(tea):
    project, sample, evaluator = tea
    frozen = services.freeze(sample, evaluator, services.ask_for(sample, evaluator))
    assert services.find_calibration(project, "faithfulness-1") == frozen
    assert services.find_calibration(project.slug, "1") == frozen
    assert services.find_calibration(project, "relevancy-1") is None
    assert services.find_calibration(project, "faithfulness-2") is None
    assert services.find_calibration(project, "faithfulness") is None


def test_an_unknown_judge_is_answered_with_those_there_are(tea):
    project, sample, _ = tea
    with pytest.raises(services.CalibrationError, match="There are: faithfulness: good-judge"):
        services.resolve_evaluator(project, sample, METRIC, "other")


def test_the_name_that_is_wrong_is_the_one_that_is_named(tea):
    project, sample, _ = tea
    tea = sample.name

    def refusal(metric, judge):
        with pytest.raises(services.CalibrationError) as refused:
            services.resolve_evaluator(project, sample, metric, judge)
        return str(refused.value)

    there = "There are: faithfulness: good-judge."
    assert refusal("nope", JUDGE) == f"No judge has scored the metric “nope” of {tea}. {there}"
    assert refusal(METRIC, "other") == f"No judge called “other” has scored {tea}. {there}"
    assert refusal("nope", "other") == f"{tea} has no scores by “other” and none of “nope”. {there}"


def test_a_judge_is_also_known_by_the_start_of_its_fingerprint(tea):
    project, sample, evaluator = tea
    assert services.resolve_evaluator(project, sample, None, evaluator.fingerprint[:8]) == evaluator
    assert services.resolve_evaluator(project, sample, None, None) == evaluator


def test_a_metric_nobody_was_asked_about_is_answered_with_those_people_were(tea):
    _, sample, evaluator = tea
    with pytest.raises(services.CalibrationError, match="There are labels on: faithfulness"):
        services.compute(sample, evaluator, human_metric="tone")
