"""Every sentence of a document is found again by the one template that made it, and told in the reader's language."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest
from django.utils import translation

from calibration.agreements import label_agreement
from calibration.calibrate import calibrate
from calibration.presenting.told import patterns, told
from calibration.statistics.sentences import (
    FEW_FAILS,
    SENTENCES,
    TEMPLATES,
    TEXTS,
    TWO_LABELS,
    UNSCORED,
    counted,
    tell,
)
from calibration.tables import read_labels, read_table
from tests.calibration.held_by_hand import HELD_BY_HAND

ONE = ("reason", "method", "distance", "explanation", "advice")
MANY = ("state_reasons", "warnings", "missing")
#: Names, the same in every language.
NAMES = {"Cohen", "Fleiss", "Gwet"}
NUMBERS = ("count", "of", "least", "share", "effective", "groups", "first", "recommended", "confidence")
NUMBERS += ("chosen", "cheapest", "extra")
#: Why the demo's file has no score for one case, as the file says it.
JUDGES_WORDS = "reply cut short"


def sentences(value: Any) -> set[str]:
    """Every sentence of a document, wherever it stands."""
    if isinstance(value, list):
        return set().union(*map(sentences, value))
    if not isinstance(value, dict):
        return set()
    found = {value[name] for name in ONE if isinstance(value.get(name), str)}
    found.update(text for name in MANY for text in value.get(name, ()))
    return found.union(*map(sentences, value.values())) - NAMES - {""}


def held(example: dict[str, Any], certify: float | None = None) -> dict[str, Any]:
    rows = [(*each, "")[:3] for each in example["rows"]]
    table = pd.DataFrame(rows, columns=["human_pass", "score", "group"], dtype=object)
    stated = dict(zip(("cost_false_pass", "cost_false_fail"), example["costs"], strict=True))
    return calibrate(table, certify=certify, **({} if certify else stated)).document


def many(n: int = 120, **columns: Any) -> pd.DataFrame:
    """Every third case fails; fails score .1 to .4, passes .5 to .9, and one of seven fails .9."""
    human = [float(i % 3 > 0) for i in range(n)]
    score = [
        (0.5 + i % 5 / 10) if passed else 0.9 if i % 7 == 0 else 0.1 + i % 4 / 10 for i, passed in enumerate(human)
    ]
    return pd.DataFrame({"case_id": [f"c{i}" for i in range(n)], "human_pass": human, "score": score, **columns})


VARIANTS: dict[str, tuple[pd.DataFrame, dict[str, Any]]] = {
    "plain": (many(), {"certify": 0.4}),
    "uncertain": (many(), {"certify": 0.01}),
    "weighted": (many(weight=[1.0 + i % 2 for i in range(120)]), {"certify": 0.05}),
    "weighted in strata": (many(weight=[1.0 + i % 2 for i in range(120)], stratum=["a", "b"] * 60), {}),
    "few weighted": (many(9, weight=[1.0 + i % 2 for i in range(9)]), {}),
    "one weighted": (many(1, weight=[2.0]), {}),
    "few conversations": (many(group=[f"g{i % 8}" for i in range(120)]), {"certify": 0.05}),
    "one conversation": (many(group=["g"] * 120), {"certify": 0.05}),
    "forty conversations": (many(group=[f"g{i % 40}" for i in range(120)]), {}),
    "soft": (many().assign(human_pass=[0.25 + i % 2 / 2 for i in range(120)]), {"certify": 0.05}),
    "soft and alike": (many().assign(human_pass=0.5, score=1.0), {}),
    "prompted": (many(judge_prompted=[True] + [False] * 119), {}),
    "unscored, undecided, out of range": (
        many(
            undecided=[True] + [False] * 119, weight=[1.0] * 119 + [-1.0], blind=["yes"] * 11 + ["no"] + ["yes"] * 108
        ).assign(
            human_pass=lambda t: [None, None, 2.0, *t.human_pass[3:]],
            score=lambda t: [*t.score[:3], 1.5, None, "?", *t.score[6:]],
            not_applicable=[False] * 10 + [True] + [False] * 109,
        ),
        {},
    ),
    "nothing": (many(0), {}),
    "another metric": (many(), {"metric": "faithfulness", "human_metric": "overall"}),
    "scores of another scale": (many().assign(score=[50.0] * 119 + [1.0]), {}),
}


def labels(*columns: str) -> dict[str, Any]:
    rows = [
        (f"c{i}", who, label) for who, column in zip("abc", columns, strict=False) for i, label in enumerate(column)
    ]
    words = {"p": "pass", "f": "fail", "g": "good", "-": None}
    told_apart = [(case, who, words[label], "m", None) for case, who, label in rows]
    return label_agreement(pd.DataFrame(told_apart, columns=["case_id", "annotator", "label", "metric", "group"]))


def documents() -> list[dict[str, Any]]:
    found = [held(example, certify) for example in HELD_BY_HAND for certify in (None, 0.05)]
    found += [calibrate(table, **options).document for table, options in VARIANTS.values()]
    # Agreement: one label, another one label, none twice, high with low kappa (19 of 20 pass), three raters.
    found += [labels("ppf"), labels("pp", "pp"), labels("gg", "gg"), labels("p-", "-p"), labels("pf", "pf", "pp")]
    return [*found, labels("p" * 19 + "f", "f" + "p" * 19), labels("p" * 18 + "ff", "f" + "p" * 18 + "f")]


def check(said: set[str]) -> None:
    assert said
    for sentence in sorted(said):
        assert len([each for each in patterns().values() if each.fullmatch(sentence)]) == 1, sentence
        with translation.override("en"):
            assert told(sentence) == sentence
        with translation.override("vi"):
            assert told(sentence) != sentence or sentence.startswith("Wilson, ")


def test_every_sentence_of_a_document_has_one_template_and_a_translation():
    check(set().union(*map(sentences, documents())))


@pytest.mark.parametrize("folder", ["h14-many-scores-exactly-at-the-threshold", "h15-judge-that-passes-everything"])
def test_the_tables_of_scores_are_told(shared, folder):
    table = read_table(shared / "cases" / folder / "scores.csv")
    check(sentences(calibrate(table, certify=0.05).document))


@pytest.mark.parametrize(
    "folder", ["h11-everyone-says-pass", "h12-annotators-with-gaps", "h13-high-agreement-low-kappa"]
)
def test_the_tables_of_labels_are_told(shared, folder):
    frame = read_labels(shared / "cases" / folder / "labels.csv")
    check(sentences(label_agreement(frame)) | set(frame.attrs["warnings"]))


@pytest.mark.django_db
def test_the_calibration_of_the_demo_is_told():
    from workbench.demo.load import load_demo

    document = load_demo().calibrations.get().document
    check(sentences(document) - {JUDGES_WORDS})


def test_what_a_file_says_is_shown_as_it_is_and_never_read_as_a_template(tmp_path):
    # No column of ids; in the other table Alice's two labels on case "{who} 1.5" differ.
    (tmp_path / "t.csv").write_text("human,score\n1,0.9\n0,0.1\n")
    (tmp_path / "l.csv").write_text("case_id,annotator,label\n{who} 1.5,alice,pass\n{who} 1.5,alice,fail\n")
    said = [*read_table(tmp_path / "t.csv").attrs["warnings"], *read_labels(tmp_path / "l.csv").attrs["warnings"]]
    assert said[1] == "alice gave case {who} 1.5 two different labels: neither counts."
    check(set(said))
    with translation.override("vi"):
        assert "alice" in told(said[1])
        assert "{who} 1.5" in told(said[1])


def test_one_and_many():
    one, seven = (counted(UNSCORED, count, reasons="no score") for count in (1, 7))
    assert one == "1 case has no usable score; it counts neither as pass nor fail: no score."
    assert seven == "7 cases have no usable score; they count neither as pass nor fail: no score."
    assert counted(FEW_FAILS, 1, least=20) == "Only 1 case that people fail: at least 20 are needed."
    assert counted(FEW_FAILS, 2.5, least=20) == "Only 2.5 cases that people fail: at least 20 are needed."


def test_numbers_take_the_readers_decimal_mark():
    with translation.override("vi"):
        assert "2,5" in told(counted(FEW_FAILS, 2.5, least=20))


def test_what_no_template_made_stays_as_it_is():
    with translation.override("vi"):
        assert told(JUDGES_WORDS) == JUDGES_WORDS
        assert told("") == told(None) == ""


@pytest.mark.parametrize("template", TEMPLATES)
def test_no_template_can_be_taken_for_another(template):
    values = {**dict.fromkeys(TEXTS, "tea"), **dict.fromkeys(SENTENCES, "no score"), **dict.fromkeys(NUMBERS, "1.5 %")}
    assert "%" not in template  # gettext would read it as a placeholder
    check({tell(template, **values)})


def test_a_template_is_filled_once():
    assert tell(TWO_LABELS, annotator="{case}", case="7") == "{case} gave case 7 two different labels: neither counts."
