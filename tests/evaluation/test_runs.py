import asyncio
from datetime import timedelta

import pytest
from django.utils import timezone

from cases.models import AuditEntry, UnitKind, UnitSet
from evaluation import services
from evaluation.errors import JudgeError
from evaluation.judges import JUDGES, Overlap
from evaluation.models import EvaluatorVersion, Job, JobState, Run, RunState, Score
from evaluation.services import EvaluatorError, drain, drain_runs, draining, evaluator_version, score_rows, start_run
from tests.evaluation.conftest import a_case, said


@pytest.fixture
def overlap(project):
    return evaluator_version(project, "faithfulness", "overlap")


class Counting(Overlap):
    """The overlap judge, counting what it is asked and failing on what says "spoiled"."""

    asked = 0

    async def ask(self, prompt, shape, **values):
        type(self).asked += 1
        if "spoiled" in str(values):
            raise ZeroDivisionError("spoiled")
        if "slow" in str(values):
            raise JudgeError("timed out")
        return await super().ask(prompt, shape, **values)


@pytest.fixture
def counting(monkeypatch):
    monkeypatch.setitem(JUDGES, "overlap", Counting)
    Counting.asked = 0
    return Counting


def test_the_same_description_is_the_same_evaluator_version(project, overlap):
    assert evaluator_version(project, "faithfulness", "overlap") == overlap
    others = [
        evaluator_version(project, "answer_relevancy", "overlap"),
        evaluator_version(project, "faithfulness", "overlap", {"supported_from": 0.9}),
        evaluator_version(project, "faithfulness", "overlap", repeats=3),
    ]
    assert len({each.fingerprint for each in [overlap, *others]}) == 4


def test_changed_prompts_are_another_evaluator_version(project, overlap, monkeypatch):
    from evaluation.judges import Prompt
    from evaluation.metrics import METRICS

    monkeypatch.setattr(METRICS["faithfulness"], "prompts", (Prompt(asks="supported", text="another"),))
    assert evaluator_version(project, "faithfulness", "overlap").fingerprint != overlap.fingerprint


def test_an_unknown_metric_or_judge_is_answered_with_those_there_are(project):
    with pytest.raises(EvaluatorError, match=r"no metric 'truth'.*faithfulness, answer_relevancy"):
        evaluator_version(project, "truth", "overlap")
    with pytest.raises(EvaluatorError, match=r"no judge 'oracle'.*overlap, replay"):
        evaluator_version(project, "faithfulness", "oracle")
    with pytest.raises(EvaluatorError, match="Recorded here: nothing"):
        evaluator_version(project, "faithfulness", "replay", recorded="careful")


def test_a_run_scores_every_case_of_the_sample_and_keeps_the_hash_of_the_units(make_sample, overlap, lena):
    sample = make_sample(a_case("a"), a_case("b", "Returns take 30 days."), a_case("c", "  "))
    run = start_run(sample, overlap, lena)
    assert drain(run) == 3
    assert (run.state, run.jobs.filter(state=JobState.DONE).count()) == (RunState.DONE, 3)
    assert [(row.state, row.value, row.reason) for row in score_rows(sample, overlap)] == [
        ("scored", 1.0, ""),
        ("scored", 0.0, ""),
        ("not_applicable", None, "'actual_output' is missing or blank"),
    ]
    units = UnitSet.objects.get(case__external_id="a", kind=UnitKind.CLAIM)
    assert Score.objects.get(case__external_id="a").unit_hashes == {"claim": units.hash}
    assert AuditEntry.objects.filter(action="start run", user=lena).count() == 1


def test_a_second_run_with_unchanged_inputs_asks_the_judge_nothing(make_sample, overlap, counting):
    sample = make_sample(a_case("a"), a_case("b"))
    drain(start_run(sample, overlap))
    again = start_run(sample, overlap)
    assert (again.state, again.jobs.count(), drain(again), counting.asked) == (RunState.DONE, 0, 0, 2)


def test_a_fresh_run_asks_again_in_a_new_epoch_and_keeps_the_old_scores(make_sample, overlap, counting):
    sample = make_sample(a_case("a"))
    drain(start_run(sample, overlap))
    drain(start_run(sample, overlap, fresh=True))
    assert counting.asked == 2
    assert list(Score.objects.order_by("epoch").values_list("epoch", "is_current")) == [(0, False), (1, True)]


def test_only_new_cases_and_those_whose_judge_failed_are_judged_by_the_next_run(make_sample, overlap, counting):
    sample = make_sample(a_case("a"), a_case("b", "slow"))
    drain(start_run(sample, overlap))
    again = start_run(sample, overlap)
    assert list(again.jobs.values_list("item__row__case__external_id", flat=True)) == ["b"]


def test_one_failing_case_does_not_spoil_its_siblings(make_sample, overlap, counting, caplog):
    sample = make_sample(a_case("a"), a_case("b", "spoiled"), a_case("c", "slow"), a_case("d"))
    drain(start_run(sample, overlap))
    assert [(row.value, row.reason) for row in score_rows(sample, overlap)] == [
        (1.0, ""),
        (None, "the metric broke: ZeroDivisionError: spoiled"),
        (None, "timed out"),
        (1.0, ""),
    ]


def test_an_unfinished_run_is_gone_on_with_instead_of_a_second_one(make_sample, overlap):
    sample = make_sample(a_case("a"))
    assert start_run(sample, overlap) == start_run(sample, overlap)
    assert Job.objects.count() == 1


def test_repeats_are_jobs_of_their_own_and_their_mean_is_the_score(project, make_sample, counting):
    evaluator = evaluator_version(project, "faithfulness", "overlap", repeats=3)
    sample = make_sample(a_case("a"))
    run = start_run(sample, evaluator)
    assert (run.jobs.count(), drain(run), counting.asked) == (3, 3, 3)
    (row,) = score_rows(sample, evaluator)
    assert row.value == 1.0
    assert start_run(sample, evaluator).jobs.count() == 0


def test_a_batch_whose_worker_died_is_judged_again_once_its_lease_has_lapsed(make_sample, overlap, counting):
    sample = make_sample(*(a_case(f"c{n}") for n in range(4)))
    run = start_run(sample, overlap)
    lost = draining.claim(run, size=2)  # and then the worker is gone
    assert drain(run) == 2
    assert run.state == RunState.RUNNING  # somebody may still hold the others
    Job.objects.filter(pk__in=[job.pk for job in lost]).update(lease_expires_at=timezone.now() - timedelta(seconds=1))
    assert drain_runs() == 2
    run.refresh_from_db()
    assert (run.state, Score.objects.count(), counting.asked) == (RunState.DONE, 4, 4)


def test_a_late_worker_stores_nothing_over_the_one_that_took_its_place(make_sample, overlap):
    sample = make_sample(a_case("a"))
    run = start_run(sample, overlap)
    late = draining.claim(run)
    Job.objects.update(lease_expires_at=timezone.now() - timedelta(seconds=1))
    assert drain(run) == 1
    with asyncio.Runner() as loop:
        assert draining._do(run, late, loop) == 0
    assert Score.objects.count() == 1


def test_the_worker_does_one_batch_at_a_time_and_then_says_that_nothing_waits(make_sample, overlap, monkeypatch):
    monkeypatch.setattr(draining, "BATCH", 2)
    run = start_run(make_sample(*(a_case(f"c{n}") for n in range(5))), overlap)
    assert [drain_runs() for _ in range(4)] == [2, 2, 1, 0]
    run.refresh_from_db()
    assert run.state == RunState.DONE


def test_an_evaluator_that_this_program_would_run_otherwise_stops_with_that_sentence(make_sample, overlap):
    run = start_run(make_sample(a_case("a")), overlap)
    EvaluatorVersion.objects.update(description=overlap.description | {"metric_version": "0"}, fingerprint="old")
    assert drain_runs() == 0
    run.refresh_from_db()
    assert run.state == RunState.STOPPED
    assert "another version of the product" in run.reason


def test_imported_scores_can_be_replayed_and_cases_without_one_stay_unscored(project, make_sample, hear):
    sample = make_sample(a_case("a"), a_case("b"), a_case("c"))
    verdicts = ({"claim": "Returns take 14 days.", "verdict": "no"},)
    hear(sample, said("a", 0.75), said("b", 1.0, verdicts=verdicts))
    evaluator = evaluator_version(project, "faithfulness", "replay", recorded="careful")
    drain(start_run(sample, evaluator))
    assert [(row.value, row.reason) for row in score_rows(sample, evaluator)] == [
        (0.75, ""),
        (0.0, ""),  # the recorded verdict says no: our formula gives 0 of 1, not the recorded 1.0
        (None, "nothing is recorded for this case"),
    ]


def test_a_recording_that_changed_is_a_changed_input(project, make_sample, hear):
    sample = make_sample(a_case("a"), a_case("b"))
    hear(sample, said("a", 0.75), said("b", 0.5))
    evaluator = evaluator_version(project, "faithfulness", "replay", recorded="careful")
    drain(start_run(sample, evaluator))
    assert start_run(sample, evaluator).jobs.count() == 0
    hear(sample, said("a", 0.25))
    drain(start_run(sample, evaluator))
    assert [row.value for row in score_rows(sample, evaluator)] == [0.25, 0.5]


def test_an_imported_evaluator_cannot_be_run(make_sample, hear):
    sample = make_sample(a_case("a"))
    hear(sample, said("a", 0.5))
    with pytest.raises(EvaluatorError, match="came in a file"):
        start_run(sample, EvaluatorVersion.objects.get())


def test_a_sample_shows_the_scores_of_its_own_cases_only(make_sample, overlap):
    first, second = make_sample(a_case("a")), make_sample(a_case("b"), name="desk 2")
    drain(start_run(first, overlap))
    assert len(score_rows(first, overlap)) == 1
    assert score_rows(second, overlap) == []
    assert services.evaluators_for(second) == []


@pytest.mark.parametrize("size", [3, 30])
def test_a_batch_is_judged_in_a_fixed_number_of_queries(make_sample, overlap, django_assert_num_queries, size):
    run = start_run(make_sample(*(a_case(f"c{n}", f"Returns take {n} days.") for n in range(size))), overlap)
    with django_assert_num_queries(24):  # as many for 3 cases as for 30
        drain(run)


def test_the_celery_task_drains_the_run_whose_id_it_is_given(make_sample, overlap):
    from evaluation.tasks import drain_run

    run = start_run(make_sample(a_case("a")), overlap)
    drain_run(run.pk)
    assert Run.objects.get(pk=run.pk).state == RunState.DONE


def test_a_worker_that_is_stopped_gives_its_cases_back_at_once(monkeypatch, make_sample, overlap):
    def stop(*_):
        raise SystemExit(143)

    run = start_run(make_sample(a_case("a"), a_case("b")), overlap)
    monkeypatch.setattr(draining, "_do", stop)
    with pytest.raises(SystemExit):
        drain(run)
    assert set(run.jobs.values_list("state", "lease_token")) == {(JobState.WAITING, None)}
