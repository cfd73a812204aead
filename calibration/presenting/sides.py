"""One case from both sides: what people and a judge said of it as a whole, and of each of its units."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Q

from calibration.statistics.passing import passes
from cases.models import Case, DatasetRow, UnitKind, UnitSet
from cases.services import ensure_units
from evaluation.models import EvaluatorVersion, Score
from evaluation.names import UNIT_VERDICT_NAMES
from labeling.models import Label, Ruling, UnitVerdict, Verdict
from labeling.words import UNIT_WORDS

#: Which colour a word of either side has: blue for yes, orange for no, violet between.
YES = {"supported", "covered", "relevant", "yes", "pass", "1", "true"}
NO = {"contradicted", "missing", "irrelevant", "no", "fail", "0", "false"}
LETTERS = {UnitKind.CLAIM: "C", UnitKind.EXPECTED: "E", UnitKind.CHUNK: "R"}


@dataclass(frozen=True)
class Said:
    """A word about a unit or a case, and the verdict whose colour and icon it has."""

    word: str
    looks: str
    reason: str = ""


def both_sides(row: DatasetRow, evaluator: EvaluatorVersion, metric: str, threshold: float | None) -> dict[str, Any]:
    """The context of one case: its units, the people, the judge, and a table for each kind of unit spoken of."""
    case = row.case
    units = ensure_units(row)
    labels = _labels(case)
    score = Score.objects.that_count().filter(case=case, evaluator=evaluator).order_by("repeat").first()
    return {
        "units": units,
        "people": _people(labels, metric),
        "ruling": Ruling.objects.filter(case=case, metric=metric).order_by("-pk").first(),
        "score": score,
        "judge_verdict": _judged(score, threshold),
        "tables": _tables(case, units, labels, score, metric),
        "judge_alone": _alone(score, units),
        "other_metrics": _others(labels, metric),
    }


def _labels(case: Case) -> list[Label]:
    is_real = Q(slot__isnull=True) | Q(slot__round__is_training=False)
    found = Label.objects.current().filter(is_real, case=case).select_related("annotator")
    return list(found.prefetch_related("verdicts", "unit_verdicts").order_by("annotator__name", "pk"))


def _people(labels: list[Label], metric: str) -> list[dict[str, Any]]:
    return [
        {
            "name": label.annotator.name,
            "said": _verdict(verdict),
            "critique": verdict.note or label.critique,
            "label": label,
        }
        for label in labels
        for verdict in label.verdicts.all()
        if verdict.metric == metric
    ]


def _verdict(verdict: Verdict) -> Said:
    if verdict.verdict:
        return Said(str(verdict.get_verdict_display()), verdict.verdict)
    top = "" if verdict.scale_high is None else f" / {verdict.scale_high:g}"
    return Said(f"{verdict.grade:g}{top}", "none")


def _others(labels: list[Label], metric: str) -> list[str]:
    return sorted({verdict.metric for label in labels for verdict in label.verdicts.all()} - {metric})


def _judged(score: Score | None, threshold: float | None) -> str:
    """The judge's verdict at the threshold looked at; none without a score or a threshold."""
    if score is None or score.value is None or threshold is None:
        return ""
    return "pass" if bool(passes(score.value, threshold)) else "fail"


def _tables(
    case: Case, units: Mapping[str, UnitSet], labels: list[Label], score: Score | None, metric: str
) -> list[dict[str, Any]]:
    """For each kind of unit that anybody spoke of: a row a unit, a column a person, the judge last."""
    tables = []
    for kind in UnitKind.values:
        spoken = [(label, unit) for label in labels for unit in label.unit_verdicts.all() if _fits(unit, kind, metric)]
        unit_set = _unit_set(case, kind, units, spoken, score)
        if unit_set is not None and (spoken or _judged_units(score, unit_set)):
            tables.append(_table(kind, unit_set, spoken, score))
    return tables


def _fits(unit: UnitVerdict, kind: str, metric: str) -> bool:
    return unit.kind == kind and unit.metric in {metric, "overall"}


def _unit_set(
    case: Case, kind: str, units: Mapping[str, UnitSet], spoken: list[tuple[Label, UnitVerdict]], score: Score | None
) -> UnitSet | None:
    """The units that were spoken of: a verdict on another text must not stand beside this one."""
    hashes = [unit.unit_hash for _label, unit in spoken] or [(score.unit_hashes if score else {}).get(kind, "")]
    current = units.get(kind)
    if current is not None and (current.hash in hashes or not any(hashes)):
        return current
    return UnitSet.objects.filter(case=case, kind=kind, hash__in=hashes).order_by("-pk").first()


def _judged_units(score: Score | None, unit_set: UnitSet) -> list[Mapping[str, Any]]:
    """The judge's verdicts, when they are about these very units."""
    if score is None or len(score.verdicts) != len(unit_set.texts):
        return []
    if score.unit_hashes:
        return score.verdicts if score.unit_hashes.get(unit_set.kind) == unit_set.hash else []
    said = [_text(each).strip() for each in score.verdicts]
    return score.verdicts if said == [text.strip() for text in unit_set.texts] else []


def _table(
    kind: str, unit_set: UnitSet, spoken: list[tuple[Label, UnitVerdict]], score: Score | None
) -> dict[str, Any]:
    words = UNIT_WORDS.get(kind, {})
    same = [(label, unit) for label, unit in spoken if unit.unit_hash == unit_set.hash]
    names = list(dict.fromkeys(label.annotator.name for label, _unit in same))
    said = {(label.annotator.name, unit.index): unit.verdict for label, unit in same}
    judged = _judged_units(score, unit_set)
    rows = [
        {
            "name": f"{LETTERS[UnitKind(kind)]}{index + 1}",
            "text": text,
            "people": [_said(said.get((name, index)), words) for name in names],
            "judge": _said(judged[index].get("verdict"), UNIT_VERDICT_NAMES, judged[index].get("reason", ""))
            if judged
            else None,
        }
        for index, text in enumerate(unit_set.texts)
    ]
    return {"kind": UnitKind(kind).label, "people": names, "rows": rows, "has_judge": bool(judged)}


def _said(word: object, words: Mapping[str, Any], reason: object = "") -> Said | None:
    if word is None or word == "":
        return None
    key = str(word).strip().lower()
    looks = "pass" if key in YES else "fail" if key in NO else "unsure"
    return Said(str(words.get(key, word)), looks, str(reason or ""))


def _alone(score: Score | None, units: Mapping[str, UnitSet]) -> list[dict[str, Any]]:
    """Verdicts that the judge gave on units of its own: imported, or by a chain that extracts them itself."""
    if score is None or score.unit_hashes or any(_judged_units(score, each) for each in units.values()):
        return []
    return [
        {
            "text": _text(each),
            "said": _said(each.get("verdict"), UNIT_VERDICT_NAMES, each.get("reason")),
        }
        for each in score.verdicts
        if isinstance(each, dict)
    ]


def _text(verdict: object) -> str:
    """The unit that an imported verdict speaks of, under whichever name."""
    if not isinstance(verdict, dict):
        return ""
    names = ("unit", "claim", "expected", "chunk", "statement", "text")
    return next((str(verdict[name]) for name in names if verdict.get(name) not in (None, "")), "")
