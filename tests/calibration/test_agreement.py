"""Agreement: hand sums, published tables, scikit-learn and statsmodels, and the families of h11, h12 and h13."""

from __future__ import annotations

import json

import numpy as np
import pandas
import pytest
from sklearn.metrics import cohen_kappa_score

from calibration.agreements import label_agreement
from calibration.statistics.agreement import (
    cohen_kappa,
    count_table,
    fleiss_kappa,
    gwet_ac1,
    krippendorff_alpha,
    pair_ac1,
    pair_table,
    raw_agreement,
)
from calibration.statistics.raters import rater_agreement, verdict_agreement
from calibration.statistics.resampling import Design, design_of
from calibration.tables import read_labels

P, F = "pass", "fail"
ONE_LABEL = "not defined: only one label was used"


def agree(**columns):
    ids = [f"c{i}" for i in range(len(next(iter(columns.values()))))]
    return rater_agreement(columns, ids)


def labels_file(tmp_path, text):
    path = tmp_path / "labels.csv"
    path.write_text(text, encoding="utf-8")
    return path


def test_the_paradox_table_has_high_agreement_and_kappa_below_zero():
    # Feinstein and Cicchetti's paradox: 118 pass by both, 5 and 2 by one, 0 fail by both.
    table = np.array([[0.0, 2.0], [5.0, 118.0]])
    assert round(table.trace() / table.sum(), 3) == 0.944
    assert round(cohen_kappa(table).value, 3) == -0.023
    assert round(pair_ac1(table).value, 3) == 0.941


@pytest.mark.parametrize("seed", range(20))
def test_kappa_is_scikit_learns(seed):
    rng = np.random.default_rng(seed)
    alice, bob = rng.integers(0, 4, (2, 60)).tolist()
    table = pair_table(alice, bob, range(4))
    for weights in (None, "linear", "quadratic"):
        expected = cohen_kappa_score(alice, bob, weights=weights, labels=range(4))
        assert cohen_kappa(table, weights=weights).value == pytest.approx(expected)


def test_fleiss_kappa_is_statsmodels():
    from statsmodels.stats.inter_rater import fleiss_kappa as other

    counts = np.random.default_rng(3).multinomial(3, [0.6, 0.3, 0.1], size=40).astype(float)
    assert fleiss_kappa(counts).value == pytest.approx(other(counts))


def test_weighted_kappa_counts_levels_that_nobody_used():
    # Grades 1, 2 and 5: on the declared scale 2 and 5 are three apart, on the observed codes one.
    table = pair_table([1, 2, 5, 5], [1, 2, 2, 5], [1, 2, 3, 4, 5])
    used = pair_table([1, 2, 5, 5], [1, 2, 2, 5], [1, 2, 5])
    declared = cohen_kappa(table, weights="linear", scale=[1, 2, 3, 4, 5]).value
    assert declared == pytest.approx(cohen_kappa(used, weights="linear", scale=[1, 2, 5]).value)
    assert declared != pytest.approx(cohen_kappa(used, weights="linear").value)


def test_alpha_of_krippendorffs_own_example():
    # Krippendorff (2011), "Computing Krippendorff's alpha-reliability", example C: nominal .743, ordinal .815,
    # interval .849.
    a = [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None]
    b = [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3]
    c = [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None]
    d = [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None]
    counts, names = count_table({"a": a, "b": b, "c": c, "d": d})
    assert names == [1, 2, 3, 4, 5]
    values = [krippendorff_alpha(counts, distance=each).value for each in ("nominal", "ordinal", "interval")]
    assert [round(value, 3) for value in values] == [0.743, 0.815, 0.849]


def test_alpha_of_two_raters_by_hand():
    # pp, pf, ff: 6 labels, 3 pass and 3 fail. Observed: 2 of 6 coincidences differ. Expected: 2 * 3 * 3 / (6 * 5).
    counts, _ = count_table({"alice": [P, P, F], "bob": [P, F, F]})
    assert krippendorff_alpha(counts).value == pytest.approx(1 - (2 / 6) / (18 / 30))


def test_the_order_of_rows_and_raters_changes_nothing():
    columns = {"alice": [P, F, P, None, F], "bob": [P, P, P, F, F], "lena": [None, F, P, F, P]}
    turned = {name: column[::-1] for name, column in reversed(columns.items())}
    one, other = (agree(**each).to_dict() for each in (columns, turned))
    for name in ("raw", "kappa", "ac1", "alpha", "agreement_on_fail"):
        assert one[name]["value"] == pytest.approx(other[name]["value"])


# h11: one label only.


@pytest.mark.parametrize(
    "columns",
    [
        {"judge": [P] * 12, "mai": [P] * 12},
        {"judge": [F] * 3, "mai": [F] * 3},
        {"alice": [P] * 5, "bob": [P] * 5, "lena": [P] * 5},
        {"alice": [P, P, None], "bob": [P, None, P]},
    ],
)
def test_where_one_label_was_used_chance_corrected_figures_are_undefined(columns):
    found = agree(**columns).to_dict()
    assert found["raw"]["value"] == 1.0
    for name in ("kappa", "ac1", "alpha"):
        assert found[name]["value"] is None
        assert found[name]["reason"] == ONE_LABEL
    assert "add" in found["advice"]
    json.dumps(found, allow_nan=False)


def test_a_judge_that_always_passes_has_kappa_zero_when_people_use_both_labels():
    # po = .9, pe = .9 * 1 + .1 * 0 = .9: kappa is 0, and defined.
    found = agree(judge=[P] * 10, mai=[P] * 9 + [F])
    assert found.kappa.value == pytest.approx(0.0)
    assert found.explanation.startswith("Kappa is low")


def test_no_common_case_is_undefined_and_no_zero():
    found = agree(alice=[P, None, F], bob=[None, P, None]).to_dict()
    assert found["cases_used"] == 0
    assert found["cases_left_out"] == ["c0", "c1", "c2"]
    assert found["raw"]["value"] is None
    assert all(found[name]["value"] is None for name in ("kappa", "ac1", "alpha", "agreement_on_fail"))
    assert found["alpha"]["reason"] == "not defined: no case has two labels"
    json.dumps(found, allow_nan=False)


def test_h11_everyone_says_pass(shared):
    frame = read_labels(shared / "cases/h11-everyone-says-pass/labels.csv")
    for judge in (None, "judge"):
        found = label_agreement(frame, judge_annotator=judge)
        assert (found["n"], found["raw"]["value"]) == (12, 1.0)
        assert found["kappa"]["value"] is None
        assert found["alpha"] == {"value": None, "reason": ONE_LABEL, "distance": "nominal"}
        assert found["advice"] == 'Every label is "pass": add cases that should fail.'
    assert found["judge"][0]["annotator"] == "mai"


# h12: gaps.


@pytest.mark.parametrize(
    ("columns", "used", "left_out"),
    [
        ({"an": [P, F, P, None], "binh": [P, None, P, F], "chi": [None, F, P, F]}, 4, []),
        ({"an": [P, F, P], "binh": [P, F, None]}, 2, ["c2"]),
        ({"an": [P, F, None, None], "binh": [P, None, None, P], "chi": [None, F, None, None]}, 2, ["c2", "c3"]),
    ],
)
def test_a_gap_is_no_label_so_labels_that_agree_have_alpha_one(columns, used, left_out):
    found = agree(**columns)
    assert found.alpha.value == pytest.approx(1.0)
    assert found.cases_used == used
    assert list(found.cases_left_out) == left_out


def test_h12_annotators_with_gaps(shared):
    found = label_agreement(read_labels(shared / "cases/h12-annotators-with-gaps/labels.csv"))
    assert found["alpha"]["value"] == 1.0
    assert found["cases_used"] == 7
    assert found["cases_left_out"] == ["s-5"]
    # What it would be if a gap were a label of its own.
    wrong = agree(an=[P, F, P, "", P, F, P, ""], binh=[P, "", P, F, "", F, "", P], chi=["", F, P, F, "", "", P, P])
    assert round(wrong.alpha.value, 4) == 0.1436


# h13: high agreement, low kappa.


@pytest.mark.parametrize(
    ("both_pass", "only_one", "only_other", "both_fail"), [(47, 1, 2, 0), (118, 5, 2, 0), (90, 5, 5, 0), (95, 3, 1, 1)]
)
def test_low_kappa_under_skew_is_explained_in_a_sentence(both_pass, only_one, only_other, both_fail):
    alice = [P] * both_pass + [P] * only_one + [F] * only_other + [F] * both_fail
    bob = [P] * both_pass + [F] * only_one + [P] * only_other + [F] * both_fail
    found = agree(alice=alice, bob=bob)
    assert found.both_fail == both_fail
    assert found.agreement_on_fail.value == both_fail / (only_one + only_other + both_fail)
    assert found.kappa.value == pytest.approx(cohen_kappa_score(alice, bob))
    assert 'almost everything is "pass"' in found.explanation or found.kappa.value >= 0.4
    assert ("no case was failed by both" in found.explanation) == (both_fail == 0)
    assert found.explanation.count(".") == 1


def test_balanced_labels_need_no_explanation():
    assert agree(alice=[P, F] * 10, bob=[P, F] * 9 + [F, P]).explanation == ""


def test_h13_high_agreement_low_kappa(shared):
    found = label_agreement(read_labels(shared / "cases/h13-high-agreement-low-kappa/labels.csv"))
    values = json.loads((shared / "cases/h13-high-agreement-low-kappa/expected.json").read_text())["values"]
    assert found["raw"]["value"] == values["raw"]
    assert round(found["kappa"]["value"], 4) == values["kappa"]
    assert round(found["ac1"]["value"], 4) == values["ac1"]
    assert found["both_fail"] == 0
    assert found["agreement_on_fail"]["value"] == 0.0
    assert found["label_counts"] == {"reviewer_1": {P: 48, F: 2}, "reviewer_2": {P: 49, F: 1}}
    assert found["explanation"].endswith("no case was failed by both.")


# Judge and people.


def test_verdict_agreement_of_whole_labels_is_the_agreement_of_two_raters():
    rng = np.random.default_rng(5)
    human, judge = rng.integers(0, 2, (2, 50)).astype(float)
    found = verdict_agreement(human, judge, Design(50))
    other = agree(human=[P if h else F for h in human], judge=[P if j else F for j in judge])
    for name in ("raw", "agreement_on_fail", "kappa", "ac1", "alpha"):
        assert getattr(found, name).value == pytest.approx(getattr(other, name).value)
    assert found.label_counts == other.label_counts


def test_a_soft_label_counts_in_part_and_alpha_does_not_take_it():
    # Half a pass and half a fail: whatever the judge says, it agrees with half of the case.
    found = verdict_agreement(np.array([0.5, 1.0]), np.array([1.0, 1.0]), Design(2, soft=True))
    assert found.raw.value == 0.75
    assert found.alpha.value is None
    assert "soft labels" in found.alpha.reason


def test_a_case_of_weight_three_counts_for_three_in_kappa():
    human, judge = np.array([1.0, 0.0, 1.0, 0.0]), np.array([1.0, 0.0, 0.0, 1.0])
    weighted = verdict_agreement(human, judge, design_of(4, weight=[3, 1, 1, 1]))
    repeated = verdict_agreement(human[[0, 0, 0, 1, 2, 3]], judge[[0, 0, 0, 1, 2, 3]], Design(6))
    assert weighted.kappa.value == pytest.approx(repeated.kappa.value)
    assert weighted.raw.value == pytest.approx(4 / 6)


def test_more_than_two_raters_get_their_pairs_and_no_interval():
    found = agree(alice=[P, F, P, F], bob=[P, F, F, F], lena=[P, P, P, F]).to_dict()
    assert [pair["raters"] for pair in found["pairs"]] == [["alice", "bob"], ["alice", "lena"], ["bob", "lena"]]
    assert found["raw"]["low"] is None
    assert found["pairs"][0]["raw"]["count"] == 3


def test_raw_agreement_and_ac1_of_three_raters_by_hand():
    # Case 1: ppp, all 3 pairs agree. Case 2: ppf, 1 of 3. Raw (1 + 1/3) / 2 = 2/3. Pass 5/6, fail 1/6:
    # pe = 2 * 5/6 * 1/6 = 10/36. AC1 = (24/36 - 10/36) / (26/36) = 14/26.
    counts, _ = count_table({"alice": [P, P], "bob": [P, P], "lena": [P, F]})
    assert raw_agreement(counts).value == pytest.approx(2 / 3)
    assert gwet_ac1(counts).value == pytest.approx(14 / 26)


def test_labels_of_several_metrics_name_the_flag(tmp_path):
    path = labels_file(tmp_path, "case_id,annotator,label,metric\na,alice,pass,tone\na,bob,pass,truth\n")
    with pytest.raises(ValueError, match="--metric tone"):
        label_agreement(read_labels(path))
    assert label_agreement(read_labels(path, metric="tone"))["cases_used"] == 0


def test_a_group_that_repeats_only_among_cases_left_out_does_not_make_the_others_dependent():
    # Ten cases of ten groups with two labels each, agreeing; an eleventh with one label shares a group with the first.
    rows = [(f"c{i}", who, "pass", f"g{i}") for i in range(10) for who in ("ann", "ben")]
    rows.append(("c10", "ann", "fail", "g0"))
    frame = pandas.DataFrame(rows, columns=["case_id", "annotator", "label", "group"]).assign(metric="")
    raw = label_agreement(frame)["raw"]
    assert (raw["count"], raw["of"]) == (10, 10)
    assert "Wilson" in raw["method"]
    # Wilson for 10 of 10: low = n / (n + z^2) = 10 / 13.8415.
    assert raw["low"] == pytest.approx(0.7225, abs=5e-5)


# --- too few to agree ------------------------------------------------------------------------------------------------

FIGURES = ("raw", "kappa", "ac1", "alpha", "agreement_on_fail")


def reasons(document):
    assert {document[name]["value"] for name in FIGURES} == {None}
    return {document[name]["reason"] for name in FIGURES}


def test_one_annotator_agrees_with_nobody_and_every_figure_says_so(tmp_path):
    rows = "".join(f"c{i},alice,{'fail' if i < 5 else 'pass'}\n" for i in range(10))
    document = label_agreement(read_labels(labels_file(tmp_path, "case_id,annotator,label\n" + rows)))
    assert reasons(document) == {"One annotator: agreement needs two labels on a case."}
    assert (document["cases_used"], len(document["cases_left_out"])) == (0, 10)


def test_without_any_annotator_nothing_agrees():
    frame = pandas.DataFrame([], columns=["case_id", "annotator", "label", "metric", "group"])
    assert reasons(label_agreement(frame)) == {"No annotator: agreement needs two labels on a case."}


def test_two_annotators_without_a_common_case_and_three_of_them(tmp_path):
    rows = "a,alice,fail\nb,bob,fail\n"
    two = label_agreement(read_labels(labels_file(tmp_path, "case_id,annotator,label\n" + rows)))
    assert reasons(two) == {"not defined: no case has two labels"}
    three = label_agreement(read_labels(labels_file(tmp_path, f"case_id,annotator,label\n{rows}c,carol,pass\n")))
    assert reasons(three) == {"not defined: no case has two labels"}


def test_fails_of_cases_labeled_once_are_not_denied(tmp_path):
    text = "case_id,annotator,label\na,alice,pass\na,bob,pass\nb,alice,fail\n"
    found = label_agreement(read_labels(labels_file(tmp_path, text)))
    assert found["agreement_on_fail"]["reason"] == "not defined: no case with two labels was failed"


def test_pairs_of_raters_on_grouped_cases_have_no_interval_either(tmp_path):
    rows = "".join(f"c{i},{who},pass,g{i % 4}\n" for i in range(8) for who in ("alice", "bob", "carol"))
    found = label_agreement(read_labels(labels_file(tmp_path, "case_id,annotator,label,group\n" + rows)))
    assert [pair["raw"]["low"] for pair in found["pairs"]] == [None] * 3
    assert {pair["raw"]["method"] for pair in found["pairs"]} == {"4 conversations are too few for an interval"}
