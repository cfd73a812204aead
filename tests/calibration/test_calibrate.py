"""The whole calibration: what counts, what is said, when it is trusted, and that same input gives same bytes."""

from __future__ import annotations

import csv
import json
import math
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from calibration.calibrate import calibrate
from calibration.statistics.usable import usable_cases
from tests.calibration.held_by_hand import HELD_BY_HAND

CONTRACT_KEYS = {
    *("schema", "metric", "human_metric", "rule", "evaluator", "costs", "seed", "n", "n_human_pass", "n_human_fail"),
    *("dataset_hash", "sample_hash", "label_hash", "questions_hash", "scores_hash", "unscored", "undecided"),
    *("excluded", "headline", "agreement", "optimal_intervals", "recommended_threshold", "reason", "at_recommended"),
    *("at_half", "cost", "curve", "nested", "certificate", "state", "state_reasons", "exploratory", "warnings"),
    "calibration",
}
RATE_KEYS = {"value", "low", "high", "method", "count", "of"}


def table(rows, **columns):
    """A calibration table of (human, score[, group]) rows; None is NaN."""
    frame = pd.DataFrame(
        {
            "case_id": [f"c{place:04d}" for place in range(len(rows))],
            "human_pass": [math.nan if row[0] is None else float(row[0]) for row in rows],
            "score": [math.nan if row[1] is None else float(row[1]) for row in rows],
        }
    )
    if any(len(row) > 2 for row in rows):
        frame["group"] = [row[2] for row in rows]
    return frame.assign(**columns)


def sample(n=300, signal=0.45, seed=0, **columns):
    rng = np.random.default_rng(seed)
    human = rng.random(n) < 0.6
    score = np.clip(rng.normal(0.3 + signal * human, 0.15), 0, 1)
    return table(list(zip(human, score, strict=True)), **columns)


def documented(*args, **options):
    return json.loads(calibrate(*args, **options).to_json())


@pytest.fixture(scope="module")
def mtrag(shared):
    """MTRAG's faithfulness: the median of grades at 3, an even number astride the cut undecided."""
    rows = []
    for line in (shared / "data/mtrag_human_dev.jsonl").read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        grades = sorted(each["grade"] for each in case["human"] if each["metric"] == "faithfulness")
        middle = grades[(len(grades) - 1) // 2], grades[len(grades) // 2]
        human = 1.0 if min(middle) >= 3 else 0.0 if max(middle) < 3 else math.nan
        score = next(each["score"] for each in case["judge"] if each["judge"] == "ragas-faithfulness(RL-F)")
        group = case["metadata"]["group_id"]
        rows.append({"case_id": case["id"], "human_pass": human, "score": score, "group": group})
    frame = pd.DataFrame(rows)
    return frame.assign(undecided=frame["human_pass"].isna())


def test_mtrag_has_two_optimal_intervals_and_recommends_inside_the_second(mtrag):
    found = documented(mtrag, cost_false_pass=5, cost_false_fail=1, metric="faithfulness")
    assert (found["n"], found["n_human_pass"], found["n_human_fail"]) == (195, 150, 45)
    first, second = found["optimal_intervals"]
    assert (first["low"], first["high"]) == (round(5 / 9, 9), round(4 / 7, 9))
    assert (second["low"], second["high"]) == (0.6, 0.625)
    assert first["cost_total"] == second["cost_total"] == 46
    for each, false_pass, false_fail in ((first, 6, 16), (second, 5, 21)):
        assert (each["false_pass_rate"]["count"], each["false_pass_rate"]["of"]) == (false_pass, 45)
        assert (each["false_fail_rate"]["count"], each["false_fail_rate"]["of"]) == (false_fail, 150)
    assert found["recommended_threshold"] == 0.61
    half = found["at_half"]
    assert (half["false_pass_rate"]["count"], half["false_fail_rate"]["count"], half["cost_total"]) == (12, 13, 73)
    rate = found["at_recommended"]["false_pass_rate"]
    assert (rate["low"], rate["high"]) == (None, None)
    assert rate["method"] == "8 conversations are too few for an interval"
    assert found["state"] == "inconclusive"
    assert found["nested"]["folds"] == 6  # of 8 conversations 6 hold a fail


def test_the_document_has_the_keys_of_the_contract_and_rates_have_theirs():
    found = documented(sample(), certify=0.1, judge="j", metric="m")
    assert set(found) >= CONTRACT_KEYS
    assert set(found["headline"]["fails_caught"]) == RATE_KEYS
    assert set(found["at_half"]) >= {"threshold", "false_pass_rate", "false_fail_rate", "cost_per_case", "cost_total"}
    assert set(found["certificate"]) == {"alpha", "delta", "certified_from", "holds", "missing"}
    assert set(found["agreement"]["raw"]) >= RATE_KEYS
    assert set(found["agreement"]["alpha"]) == {"value", "reason", "distance"}
    assert found["evaluator"] == {"judge": "j", "metric": "m"}
    assert found["calibration"] is None
    assert len(found["warnings"]) == len(found["warning_codes"])


def test_a_certificate_not_asked_for_is_absent():
    assert "certificate" not in documented(sample())


@pytest.mark.parametrize("example", HELD_BY_HAND, ids=lambda example: example["name"])
def test_documents_held_by_hand(example):
    cost_false_pass, cost_false_fail = example["costs"]
    found = documented(table(example["rows"]), cost_false_pass=cost_false_pass, cost_false_fail=cost_false_fail)
    assert [(each["low"], each["high"]) for each in found["optimal_intervals"]] == example["optimal"]
    assert found["recommended_threshold"] == example["recommended"]
    assert found["reason_code"] == example.get("refusal", "recommended")
    assert (found["at_recommended"] is None) == (example["recommended"] is None)
    counted = sum(each["count"] for each in found["excluded"])
    assert found["n"] + counted == len(example["rows"])
    for threshold, expected in example["counts"].items():
        assert counts_from_curve(found["curve"], threshold) == expected


def counts_from_curve(curve, threshold):
    """What a browser does with the curve: sum at and above the threshold."""
    columns = zip(curve["scores"], curve["human_pass"], curve["human_fail"], strict=True)
    sums = [0, 0, 0, 0]
    for score, humans_pass, humans_fail in columns:
        passed = math.floor(score * 1e9 + 0.5) >= math.floor(threshold * 1e9 + 0.5)
        sums[0 if passed else 2] += humans_pass
        sums[1 if passed else 3] += humans_fail
    return tuple(sums)


def test_a_row_without_a_usable_score_is_excluded_counted_and_no_fail():
    rows = [(0, 0.2), (1, 0.6), (1, 0.9), (1, None)]
    frame = table(rows).astype({"score": object})
    bad = pd.DataFrame(
        {"case_id": [f"x{i}" for i in range(6)], "human_pass": 1.0, "score": ["", "n/a?", 1.2, -0.1, math.inf, None]}
    )
    found = documented(pd.concat([frame, bad]), cost_false_pass=1, cost_false_fail=1)
    assert found["excluded"] == [
        {"reason": "no score", "count": 3},
        {"reason": "the score is not a number", "count": 1},
        {"reason": "the score is out of [0, 1]", "count": 3},
    ]
    assert (found["n"], found["unscored"]) == (3, 7)
    assert found["at_half"]["counts"] == {"true_pass": 2, "false_pass": 0, "false_fail": 0, "true_fail": 1}
    assert found["warnings"][0] == (
        "7 cases have no usable score; they count neither as pass nor fail: no score (3); the score is out of [0, 1] "
        "(3); the score is not a number (1)."
    )
    assert found["agreement"]["cases_left_out"] == ["c0003", "x0", "x1", "x2", "x3", "x4", "x5"]


def test_dust_above_one_is_one():
    assert documented(table([(1, 1 + 1e-12), (0, -1e-12)]))["n"] == 2


def test_the_report_tells_of_unscored_cases_once():
    frame = table([(0, 0.2), (1, 0.6), (1, None)], unscored_reason=["", "", "reply cut short"])
    said = calibrate(frame, cost_false_pass=1).report()
    assert "! 1 case has no usable score; it counts neither as pass nor fail: reply cut short." in said
    assert said.count("reply cut short") == 1


def test_unusable_scores_are_named_as_the_cause_before_the_verdicts():
    # People passed 60 and failed 40 of 100; 99 scores are on 0..100, and the one that is left is of a pass.
    frame = table([(place % 5 > 1, 1.0 if place == 99 else 50.0) for place in range(100)])
    found = documented(frame)
    assert (found["reason_code"], found["recommended_threshold"]) == ("unusable_scores", None)
    assert found["reason"] == (
        "No threshold is recommended: 99 of 100 scores cannot be used: the score is out of [0, 1]."
    )
    assert found["state_reasons"] == [found["reason"]]


def test_people_gave_both_verdicts_where_only_the_scores_of_one_are_missing():
    found = documented(table([(0, None), (1, 0.6), (1, 0.9)]))
    assert found["reason"] == "No threshold is recommended: 1 of 3 scores cannot be used: no score."
    assert documented(table([(1, None), (1, 0.6), (1, 0.9)]))["reason_code"] == "one_class"


def test_another_metric_than_people_were_asked_is_said_aloud():
    found = documented(sample(), metric="faithfulness", human_metric="overall", cost_false_pass=1)
    assert found["warning_codes"] == ["metrics_differ"]
    assert found["warnings"] == ["People were asked: overall; the judge scores: faithfulness."]
    said = calibrate(sample(), metric="faithfulness", human_metric="overall").report()
    assert said.splitlines()[1] == "People were asked: overall; the judge scores: faithfulness."
    assert said.count("People were asked") == 1
    assert "metrics_differ" not in documented(sample(), metric="faithfulness")["warning_codes"]


def test_the_refusal_is_said_once_in_a_report():
    report = calibrate(table([(1, 0.6), (1, 0.9)])).report()
    assert report.count("people gave only one verdict") == 1


def test_every_row_is_used_or_excluded_for_one_reason():
    frame = table(
        [(1, 0.9), (1, 0.9), (1, 0.9), (None, 0.9), (None, 0.9), (2, 0.9), (1, 0.9), (1, None)],
        not_applicable=[False, True] + [False] * 6,
        blind=["yes", "yes", "no"] + ["yes"] * 5,
        undecided=[False] * 4 + [True] + [False] * 3,
        weight=[1.0] * 6 + [0.0, 1.0],
        unscored_reason=[""] * 7 + ["timeout"],
    )
    found = usable_cases(frame)
    assert found.n == 1
    assert found.excluded == {
        "no human verdict": 1,
        "people are undecided": 1,
        "the human verdict is not between 0 and 1": 1,
        "the label is not blind": 1,
        "the metric does not apply": 1,
        "the weight is not a positive number": 1,
        "timeout": 1,
    }
    assert (found.unscored, found.undecided) == ({"timeout": 1}, 1)
    assert found.scored_share == pytest.approx(6 / 7)


def test_undecided_cases_bound_the_headline_from_both_sides():
    # 2 fails caught of 2; two undecided at .9, passed by the judge: as fails they are missed, as passes kept.
    frame = table([(0, 0.1), (0, 0.2), (1, 0.8), (1, 0.9), (None, 0.9), (None, 0.9)])
    found = documented(frame.assign(undecided=frame["human_pass"].isna()))
    assert found["undecided"] == 2
    shown = [found[name]["fails_caught"] for name in ("headline", "headline_undecided_as_fails")]
    assert [(each["count"], each["of"]) for each in shown] == [(2, 2), (2, 4)]
    assert found["headline_undecided_as_passes"]["passes_kept"]["of"] == 4
    assert any("2 cases are undecided" in text for text in found["warnings"])


def test_costs_that_are_not_given_are_one_to_one_and_said_loudly():
    found = documented(sample())
    assert found["costs"] == {"false_pass": 1, "false_fail": 1, "stated": False}
    assert found["warning_codes"] == ["costs_not_stated"]
    assert found["warnings"][0].startswith("The costs are not stated")
    assert "costs_not_stated" not in documented(sample(), cost_false_pass=1)["warning_codes"]


def test_the_headline_is_read_at_the_recommended_threshold_else_at_one_half():
    assert documented(table([(0, 0.2), (1, 0.6), (1, 0.9)]))["headline"]["threshold"] == 0.4
    assert documented(table([(1, 0.2), (0, 0.9)]))["headline"]["threshold"] == 0.5


# The state.


def test_a_good_judge_on_blind_labels_is_trusted():
    found = documented(sample(blind="yes"), cost_false_pass=2, cost_false_fail=1, certify=0.2)
    assert (found["state"], found["state_reasons"]) == ("trusted", [])
    assert found["certificate"]["holds"]


@pytest.mark.parametrize(
    ("frame", "options", "reason"),
    [
        (sample(), {}, "blind is unknown"),
        (sample(60, blind="yes").iloc[:40], {}, "at least 20"),
        (sample(blind="yes", group=[f"g{i % 20}" for i in range(300)]), {}, "Only 20 conversations"),
        (sample(signal=0.02, blind="yes"), {"cost_false_pass": 1.4}, ""),
        (sample(blind="yes"), {"certify": 0.001}, "The certificate asked for does not hold"),
        (pd.concat([sample(blind="yes"), table([(1, None)] * 30, blind="yes")]), {}, "are scored"),
    ],
)
def test_what_keeps_a_calibration_from_being_trusted_is_named(frame, options, reason):
    found = documented(frame, **options)
    assert found["state"] in ("inconclusive", "untrusted")
    assert any(reason in text for text in found["state_reasons"])


def test_labels_blind_asserts_and_is_recorded_but_never_overrides_a_label_that_was_not():
    found = documented(sample(), labels_blind=True)
    assert found["state"] == "trusted"
    assert found["labels_blind"] == {"asserted": True, "found": ["yes"]}
    seen = sample().assign(blind=["no"] + ["unknown"] * 299)
    assert documented(seen, labels_blind=True)["excluded"] == [{"reason": "the label is not blind", "count": 1}]


def test_a_judge_that_helps_nowhere_and_prompted_labels_are_untrusted():
    backwards = documented(table([(1, 0.1), (1, 0.1), (0, 0.9)]))
    assert backwards["state"] == "untrusted"
    assert backwards["state_reasons"] == ["No threshold of this judge beats passing all."]
    prompted = sample(blind="yes").assign(judge_prompted=[True] * 2 + [False] * 298)
    assert documented(prompted)["state"] == "untrusted"


@pytest.mark.parametrize("rows", [[], [(None, 0.5)], [(1, None)], [(1, 0.5)], [(0, 0.0), (1, 0.0)]])
def test_next_to_nothing_is_a_result_in_words_and_valid_json(rows):
    found = documented(table(rows), certify=0.05)
    assert found["recommended_threshold"] is None
    assert found["state"] == "untrusted"
    assert found["reason"]
    assert calibrate(table(rows)).report()


# h15: the judge that passes everything.


def test_h15_shows_accuracy_kappa_and_caught_fails_side_by_side_and_recommends_nothing(shared):
    rows = csv.DictReader((shared / "cases/h15-judge-that-passes-everything/scores.csv").open())
    found = documented(table([(int(r["human_pass"]), r["score"]) for r in rows]), cost_false_pass=5, cost_false_fail=1)
    assert found["at_half"]["counts"] == {"true_pass": 36, "false_pass": 4, "false_fail": 0, "true_fail": 0}
    assert found["agreement"]["raw"]["value"] == 0.9
    assert found["agreement"]["kappa"]["value"] == 0.0
    caught, kept = found["headline"]["fails_caught"], found["headline"]["passes_kept"]
    assert (caught["count"], caught["of"], caught["low"], round(caught["high"], 4)) == (0, 4, 0.0, 0.4899)
    assert (kept["count"], kept["of"]) == (36, 36)
    assert found["recommended_threshold"] is None
    assert "one value" in found["reason"]
    assert found["state"] == "untrusted"


@pytest.mark.parametrize(("score", "n0", "n1"), [(1.0, 1, 9), (0.7, 20, 80), (0.99, 5, 5)])
def test_a_judge_of_one_score_has_kappa_zero_and_no_threshold(score, n0, n1):
    found = documented(table([(0, score)] * n0 + [(1, score)] * n1))
    assert found["agreement"]["kappa"]["value"] == pytest.approx(0)
    assert (found["headline"]["fails_caught"]["count"], found["headline"]["fails_caught"]["of"]) == (0, n0)
    assert found["recommended_threshold"] is None


def test_h11_in_the_document_has_undefined_figures_with_reasons():
    agreement = documented(table([(1, 0.9)] * 12))["agreement"]
    assert agreement["raw"]["value"] == 1.0
    assert [agreement[name]["value"] for name in ("kappa", "ac1", "alpha")] == [None] * 3
    assert agreement["agreement_on_fail"]["reason"] == "not defined: no case was failed"
    assert documented(table([(1, 0.9)] * 12))["headline"]["fails_caught"]["method"] == (
        "not defined: people failed no case"
    )


# Weights, soft labels, groups.


def test_weights_rule_the_cost_while_counts_stay_cases():
    # The fail at .6 stands for 10 cases: at (.2, .6] it costs 10, above it the pass at .6 costs 1.
    frame = table([(0, 0.2), (0, 0.6), (1, 0.6), (1, 0.6), (1, 0.9)], weight=[1.0, 10.0, 1.0, 1.0, 1.0])
    found = documented(frame, cost_false_pass=1, cost_false_fail=1)
    assert [(each["low"], each["high"], each["cost_total"]) for each in found["optimal_intervals"]] == [(0.6, 0.9, 2.0)]
    half = found["at_half"]
    assert half["false_pass_rate"]["value"] == pytest.approx(10 / 11)
    assert (half["false_pass_rate"]["count"], half["false_pass_rate"]["of"]) == (1, 2)
    assert half["cost_per_case"] == pytest.approx(10 / 14)
    assert found["curve"]["weight_fail"] == [1, 10, 0]
    assert found["curve"]["human_fail"] == [1, 1, 0]
    assert "weighted" in found["warning_codes"]


def test_soft_labels_are_fractions_of_cases():
    found = documented(table([(0.25, 0.9), (0.5, 0.4), (1, 0.8), (0, 0.1)]))
    assert (found["n_human_pass"], found["n_human_fail"]) == (1.75, 2.25)
    assert found["at_half"]["counts"] == {"true_pass": 1.25, "false_pass": 0.75, "false_fail": 0.5, "true_fail": 1.5}
    assert "soft_labels" in found["warning_codes"]


def test_forty_conversations_get_an_interval_and_bands_do_not():
    found = documented(sample(group=[f"g{i % 40}" for i in range(300)]))
    assert found["headline"]["passes_kept"]["low"] is not None
    assert found["curve"]["bands"]["false_pass"] is None
    assert documented(sample())["curve"]["bands"]["false_pass"] > 0


# Bytes.


def test_the_same_input_gives_the_same_bytes_in_any_order_of_rows():
    frame = sample(group=[f"g{i % 60}" for i in range(300)], weight=np.tile([1.0, 2.0], 150))
    options = {"cost_false_pass": 5, "cost_false_fail": 1, "seed": 3, "certify": 0.1}
    one, again, turned = (calibrate(each, **options).to_json() for each in (frame, frame, frame.iloc[::-1]))
    assert one == again == turned
    assert calibrate(frame, **{**options, "seed": 4}).to_json() != one


def test_numbers_have_twelve_significant_digits():
    assert documented(table([(0, 0.2), (1, 0.6), (1, 0.9)]))["at_half"]["cost_per_case"] == 0.0
    assert '"value": 0.333333333333,' in calibrate(table([(0, 0.9), (0, 0.1), (0, 0.2), (1, 0.95)])).to_json()


def test_provenance_is_written_down_and_unknown_provenance_refused():
    origin = {"dataset_hash": "d" * 64, "evaluator": {"fingerprint": "f"}, "calibration": "mtrag-1"}
    found = documented(sample(), provenance=origin, judge="j")
    assert found["dataset_hash"] == "d" * 64
    assert found["sample_hash"] is None
    assert found["evaluator"]["fingerprint"] == "f"
    assert found["calibration"] == "mtrag-1"
    with pytest.raises(ValueError, match="unknown provenance: datset_hash"):
        calibrate(sample(), provenance={"datset_hash": ""})


def test_a_table_without_its_columns_is_refused():
    with pytest.raises(ValueError, match="no column human_pass"):
        calibrate(pd.DataFrame({"score": [0.5]}))


def test_the_report_says_what_the_document_says():
    report = calibrate(table([(0, 0.2), (1, 0.6), (1, 0.9)]), cost_false_pass=5, cost_false_fail=1).report()
    assert "Recommended threshold: 0.4." in report
    assert "(0.2, 0.6], cost 0" in report
    assert "human fails caught 1 of 1 = 100.0 %, 20.7 % to 100.0 %" in report


def test_importing_calibration_loads_no_pandas_scipy_or_sklearn():
    code = (
        "import sys, calibration, calibration.statistics.passing, calibration.statistics.curves\n"
        "print([name for name in ('pandas', 'scipy', 'sklearn', 'statsmodels', 'django') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("seed", range(60))
def test_any_table_gives_valid_json_and_rates_inside_their_intervals(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 120))
    frame = table([(rng.choice([0, 1, None, 0.5], p=[0.35, 0.5, 0.1, 0.05]), None) for _ in range(n)])
    frame["score"] = rng.choice([0.0, 0.2, 0.5, 0.500000001, 0.9, 1.0, math.nan, 2.0], n)
    if seed % 2:
        frame["weight"] = rng.choice([0.0, 1.0, 2.5, 40.0], n)
    if seed % 3 == 0:
        frame["group"] = [f"g{i}" for i in rng.integers(0, max(2, n // 2), n)]
    if seed % 5 == 0:
        frame["stratum"] = rng.choice(["low", "high"], n)
    if seed % 4 == 0:
        frame["human_pass"] = frame["human_pass"].round()
    found = documented(frame, cost_false_pass=float(rng.choice([1, 5, 0.3])), certify=0.1, labels_blind=True)
    assert found["n"] + sum(each["count"] for each in found["excluded"]) == n
    for rate in rates_in(found):
        if rate["value"] is not None and rate["low"] is not None:
            assert 0 <= rate["low"] <= rate["value"] + 1e-12
            assert rate["value"] - 1e-12 <= rate["high"] <= 1
        assert rate["value"] is not None or rate["of"] == 0


def rates_in(value):
    """Every rate of the document, wherever it is."""
    if isinstance(value, dict):
        if set(value) >= RATE_KEYS:
            yield value
        for item in value.values():
            yield from rates_in(item)
    elif isinstance(value, list):
        for item in value:
            yield from rates_in(item)
