import asyncio
import json
import math

import pytest

from cases.records import TestCase
from evaluation.errors import JudgeError
from evaluation.judges import Overlap, Recording, Replay
from evaluation.judges.scripted import Scripted
from evaluation.metrics import METRICS, MetricResult, NotApplicable, Unscored, outcome_of
from evaluation.metrics.contextual_precision import average_precision

FIVE = tuple("abcde")
CASE = TestCase(
    id="c", input="q?", actual_output="An answer.", expected_output="Expected.", retrieval_context=("chunk",)
)


def says(words: str) -> str:
    names = {"y": "yes", "n": "no", "i": "idk"}
    return json.dumps({"verdicts": [{"verdict": names[letter], "reason": "r"} for letter in words]})


def outcome(metric: str, *replies, units=None, case=CASE, judge=None):
    return asyncio.run(outcome_of(METRICS[metric](), case, judge or Scripted(replies), units))


@pytest.mark.parametrize(
    ("relevant", "score"),
    [
        ([1, 1, 0, 0, 1], (1 / 1 + 2 / 2 + 3 / 5) / 3),  # .867
        ([0, 0, 1, 1, 1], (1 / 3 + 2 / 4 + 3 / 5) / 3),  # .478
        ([0, 0, 0], 0),
        ([1], 1),
    ],
)
def test_precision_rewards_useful_chunks_that_stand_first(relevant, score):
    assert average_precision(relevant) == pytest.approx(score, abs=1e-12)


def test_precision_of_five_judged_chunks_is_867_and_478_thousandths():
    assert round(outcome("contextual_precision", says("yynny"), units={"chunk": FIVE}).score, 3) == 0.867
    assert round(outcome("contextual_precision", says("nnyyy"), units={"chunk": FIVE}).score, 3) == 0.478


@pytest.mark.parametrize(
    ("metric", "kind", "words", "score"),
    [
        ("contextual_recall", "expected", "yyny", 3 / 4),
        ("contextual_relevancy", "chunk", "ynyny", 3 / 5),
        ("faithfulness", "claim", "yny", 2 / 3),
        ("faithfulness", "claim", "yiy", 2 / 3),  # not in the context does not count
        ("answer_relevancy", "claim", "yyn", 2 / 3),
    ],
)
def test_the_score_is_the_share_of_yes(metric, kind, words, score):
    result = outcome(metric, says(words), units={kind: FIVE[: len(words)]})
    assert result.score == score
    assert [verdict.unit for verdict in result.verdicts] == list(FIVE[: len(words)])


@pytest.mark.parametrize(
    ("metric", "score", "flag"),
    [
        ("faithfulness", 1, "no_claims"),
        ("answer_relevancy", 1, "no_claims"),
        ("contextual_recall", 0, "no_expected_statements"),
        ("contextual_precision", 0, "no_chunks"),
        ("contextual_relevancy", 0, "no_chunks"),
    ],
)
def test_nothing_to_judge_is_deepevals_value_with_a_flag_and_without_a_call(metric, score, flag):
    assert outcome(metric, units={}) == MetricResult(score=score, flags=(flag,))


@pytest.mark.parametrize("blank", [None, "", " \n\t"])
def test_a_blank_text_makes_the_metric_not_applicable_and_is_named(blank):
    case = TestCase(id="c", input="q?", actual_output=blank, retrieval_context=("chunk",))
    assert outcome("faithfulness", case=case) == NotApplicable("actual_output")


@pytest.mark.parametrize("blank", [None, (), ("",), (" ", "\n")])
@pytest.mark.parametrize(
    "metric", ["faithfulness", "contextual_recall", "contextual_precision", "contextual_relevancy"]
)
def test_blank_chunks_make_the_metric_not_applicable(metric, blank):
    case = TestCase(id="c", input="q?", actual_output="a", expected_output="e", retrieval_context=blank)
    assert outcome(metric, case=case) == NotApplicable("retrieval_context")


def test_a_metric_without_given_units_makes_them_by_the_shared_rule():
    case = TestCase(id="c", input="q?", actual_output="One is true. Two is not.", retrieval_context=("chunk",))
    result = outcome("faithfulness", says("yn"), case=case)
    assert [verdict.unit for verdict in result.verdicts] == ["One is true.", "Two is not."]


def test_a_judge_that_fails_leaves_the_case_unscored_with_its_reason():
    assert outcome("faithfulness", JudgeError("timed out")) == Unscored("timed out")
    unreadable = outcome("contextual_precision", says("yny"), units={"chunk": FIVE})
    assert (unreadable.reason, unreadable.raw_reply[:2]) == ("3 verdicts for 5 chunks", "[{")


@pytest.mark.parametrize("score", [math.nan, math.inf, -0.1, 1.1, 85])
def test_no_number_outside_0_to_1_can_be_a_result(score):
    with pytest.raises(ValueError, match="no score"):
        MetricResult(score=score)


def test_the_prompt_holds_every_unit_and_the_evidence():
    judge = Scripted([says("yn")])
    outcome("faithfulness", units={"claim": ("first claim", "second claim")}, judge=judge)
    (prompt,) = judge.asked
    assert "1. first claim\n2. second claim" in prompt
    assert "1. chunk" in prompt


def overlap(metric: str, **fields) -> MetricResult:
    result = outcome(metric, case=TestCase(id="c", **fields), judge=Overlap())
    assert isinstance(result, MetricResult)
    return result


def test_overlap_supports_the_claim_whose_words_stand_in_a_chunk():
    result = overlap(
        "faithfulness",
        input="Returns?",
        actual_output="Returns take 14 days. Bicycles are painted by hand.",
        retrieval_context=("Returns take 14 days from delivery.", "Warranty lasts two years."),
    )
    assert [verdict.verdict for verdict in result.verdicts] == ["yes", "no"]
    assert result.score == 1 / 2


def test_overlap_fails_a_claim_with_a_number_that_no_chunk_has():
    result = overlap(
        "faithfulness",
        input="Returns?",
        actual_output="Returns take 30 days.",
        retrieval_context=("Returns take 14 days.",),
    )
    assert (result.score, result.verdicts[0].reason) == (0, "not in the evidence: 30")


def test_overlap_reads_vietnamese_whatever_way_its_letters_are_composed():
    composed, decomposed = "Bảo hành 24 tháng.", "Bảo hành 24 tháng."
    assert overlap("faithfulness", input="?", actual_output=composed, retrieval_context=(decomposed,)).score == 1


def test_overlap_says_the_same_every_time():
    fields = {"input": "When do returns end?", "actual_output": "Returns end soon. Tea is hot."}
    assert overlap("answer_relevancy", **fields) == overlap("answer_relevancy", **fields)
    assert overlap("answer_relevancy", **fields).score == 1 / 2


def replayed(recording, claims=("One.", "Two.")):
    return outcome("faithfulness", units={"claim": claims}, judge=Replay(recording))


def test_replay_scores_recorded_verdicts_by_our_formula():
    verdicts = ({"claim": "One.", "verdict": "yes"}, {"claim": "Two.", "verdict": "no"})
    assert replayed(Recording(score=1.0, verdicts=verdicts)).score == 1 / 2


def test_replay_takes_a_bare_score_as_it_is_and_says_so():
    assert replayed(Recording(score=0.7)) == MetricResult(score=0.7, flags=("recorded_score",))


def test_replay_without_a_recording_leaves_the_case_unscored():
    assert replayed(None) == Unscored("nothing is recorded for this case")
    assert replayed(Recording(error="reply cut short")) == Unscored("reply cut short")


def test_replay_never_puts_a_recorded_verdict_on_another_claim():
    other = ({"claim": "One.", "verdict": "yes"}, {"claim": "Three.", "verdict": "yes"})
    assert "other units" in replayed(Recording(score=1.0, verdicts=other)).reason
    fewer = ({"verdict": "yes"},)
    assert replayed(Recording(score=1.0, verdicts=fewer)).reason == "1 verdicts for 2 claims"
