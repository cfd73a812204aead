import math

import pytest

from cases.records import ScoreRecord
from evaluation.models import EvaluatorVersion, Score
from evaluation.services import evaluators_for, score_rows, scores_hash, store_imported_scores
from tests.evaluation.conftest import a_batch, a_case, said


def test_a_file_imported_twice_changes_nothing(make_sample, hear):
    sample = make_sample(a_case("a"), a_case("b"))
    assert hear(sample, said("a", 0.5), said("b", error="reply cut short")) == 2
    before = list(Score.objects.values("pk", "epoch", "is_current"))
    assert hear(sample, said("a", 0.5), said("b", error="reply cut short")) == 0
    assert list(Score.objects.values("pk", "epoch", "is_current")) == before
    assert EvaluatorVersion.objects.count() == 1


def test_a_changed_score_is_a_new_epoch_and_the_newest_counts(make_sample, hear):
    sample = make_sample(a_case("a"))
    hear(sample, said("a", 0.5))
    assert hear(sample, said("a", 0.75)) == 1
    assert list(Score.objects.order_by("epoch").values_list("epoch", "value", "is_current")) == [
        (0, 0.5, False),
        (1, 0.75, True),
    ]
    (row,) = score_rows(sample, EvaluatorVersion.objects.get())
    assert row.value == 0.75


def test_scored_unscored_and_not_applicable_stay_three_things(make_sample, hear):
    sample = make_sample(a_case("a"), a_case("b"), a_case("c"))
    hear(sample, said("a", 0.0), said("b", error="timed out"), said("c", not_applicable="no context"))
    rows = score_rows(sample, EvaluatorVersion.objects.get())
    assert [(row.state, row.value, row.reason) for row in rows] == [
        ("scored", 0.0, ""),
        ("unscored", None, "timed out"),
        ("not_applicable", None, "no context"),
    ]


@pytest.mark.parametrize(
    ("score", "reason"),
    [
        (85, "85 is outside 0 to 1"),
        (-1, "-1 is outside 0 to 1"),
        (math.nan, "the file holds no score that can be read"),
        (math.inf, "the file holds no score that can be read"),
        (None, "the file holds no score that can be read"),
    ],
)
def test_a_number_that_is_no_score_is_unscored_and_never_clamped(make_sample, hear, score, reason):
    sample = make_sample(a_case("a"))
    hear(sample, said("a", score))
    assert Score.objects.values_list("state", "value", "reason").get() == ("unscored", None, reason)


def test_each_judge_and_metric_is_an_evaluator_of_its_own(make_sample, hear):
    sample = make_sample(a_case("a"))
    hear(
        sample,
        said("a", 0.1),
        said("a", 0.2, judge="lenient"),
        said("a", 0.3, metric="answer_relevancy"),
    )
    names = {(tally.evaluator.judge, tally.evaluator.metric): tally.mean for tally in evaluators_for(sample)}
    assert names == {
        ("careful", "faithfulness"): 0.1,
        ("lenient", "faithfulness"): 0.2,
        ("careful", "answer_relevancy"): 0.3,
    }


def test_several_scores_by_one_judge_of_one_case_are_its_repeats(make_sample, hear):
    sample = make_sample(a_case("a"), a_case("b"))
    heard = [said("a", 0.5), said("a", 1.0), said("b", 0.5), said("b", error="timed out")]
    assert hear(sample, *heard) == 4
    assert hear(sample, *heard) == 0
    evaluator = EvaluatorVersion.objects.get()
    # a: (.5 + 1) / 2. b: a mean over one of two would be another measurement.
    assert [row.value for row in score_rows(sample, evaluator)] == [0.75, None]
    (tally,) = evaluators_for(sample)
    assert (tally.scored, tally.unscored, tally.mean) == (1, 1, 0.75)


def test_the_raw_record_is_kept(make_sample, hear):
    hear(make_sample(a_case("a")), said("a", 0.5, raw={"parse_status": "repaired"}))
    assert Score.objects.get().raw_reply == '{"parse_status": "repaired"}'


def test_the_scores_hash_is_of_the_scores_that_count_and_of_nothing_else(make_sample, hear):
    first, second = make_sample(a_case("a"), a_case("b")), make_sample(a_case("b"), a_case("a"), name="desk 2")
    hear(first, said("a", 0.5), said("b", 0.25))
    hear(second, said("a", 0.1), said("b", 0.25))
    evaluator = EvaluatorVersion.objects.get()
    assert scores_hash(first, evaluator) != scores_hash(second, evaluator)
    hear(second, said("a", 0.5))  # other rows, another order, an older epoch behind it: the same scores
    assert scores_hash(first, evaluator) == scores_hash(second, evaluator)


def test_counts_mean_and_median_leave_unscored_cases_out(make_sample, hear):
    sample = make_sample(*(a_case(name) for name in "abcdef"))
    hear(
        sample,
        said("a", 0.0),
        said("b", 0.5),
        said("c", 0.5),
        said("d", 1.0),
        said("e", error="x"),
        said("f", not_applicable="y"),
    )
    (tally,) = evaluators_for(sample)
    assert (tally.scored, tally.unscored, tally.not_applicable) == (4, 1, 1)
    assert (tally.mean, tally.median) == (0.5, 0.5)  # (0 + .5 + .5 + 1) / 4


def test_an_even_number_of_scores_has_its_median_half_way(make_sample, hear):
    sample = make_sample(a_case("a"), a_case("b"))
    hear(sample, said("a", 0.25), said("b", 0.75))
    (tally,) = evaluators_for(sample)
    assert tally.median == 0.5


def test_no_score_has_neither_mean_nor_median(make_sample, hear):
    sample = make_sample(a_case("a"))
    hear(sample, said("a", error="timed out"))
    (tally,) = evaluators_for(sample)
    assert (tally.mean, tally.median, tally.scored) == (None, None, 0)


@pytest.mark.parametrize("size", [2, 20])
def test_a_batch_is_stored_and_read_in_a_fixed_number_of_queries(project, make_sample, django_assert_num_queries, size):
    sample = make_sample(*(a_case(f"c{n}") for n in range(size)))
    batch = a_batch(sample, *(said(f"c{n}", 0.5, judge=judge) for n in range(size) for judge in "xyz"))
    with django_assert_num_queries(8):  # as many for 2 cases as for 20
        store_imported_scores(project, batch)
    with django_assert_num_queries(2):
        assert len(evaluators_for(sample)) == 3


def test_a_record_without_scores_asks_the_database_nothing(project, make_sample, django_assert_num_queries):
    batch = a_batch(make_sample(a_case("a")))
    with django_assert_num_queries(2):  # the savepoint around it
        assert not store_imported_scores(project, batch)


def test_a_score_record_of_another_case_is_not_stored(project, make_sample):
    sample = make_sample(a_case("a"))
    assert not store_imported_scores(project, a_batch(sample, ScoreRecord("elsewhere", "j", "m", score=0.5)))
    assert not Score.objects.exists()
