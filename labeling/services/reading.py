"""What people said about a sample, as rows: for the rule of the round and for those who calibrate.

Training rounds are never read here. One person is one vote: of several labels on a case the newest counts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from django.db.models import Q, QuerySet

from cases.models import Case, Sample
from cases.records import content_hash
from labeling.models import Blind, Round, Ruling, Verdict
from labeling.rules import Answer, HumanVerdict, Rule, human_verdict, parse_rule


@dataclass(frozen=True, slots=True)
class LabelRow:
    """One person's verdict on one case under one metric. ``case_id`` and ``label_id`` are row ids of the database."""

    case_id: int
    annotator: str
    verdict: str
    grade: float | None
    scale_low: float | None
    scale_high: float | None
    note: str
    failure_mode: str
    blind: str
    label_id: int
    created_at: datetime
    source: str


def label_rows(sample: Sample, metric: str) -> list[LabelRow]:
    """Every current label on the sample's cases that speaks of the metric, by case and annotator."""
    return _newest(_rows(Verdict.objects.filter(_current(Case.objects.of_sample(sample)), metric=metric)))


def round_label_rows(round_: Round, metric: str, cases: QuerySet[Case]) -> list[LabelRow]:
    """The current labels of one round alone on these cases: what was imported about them is none of its answers."""
    own = Verdict.objects.filter(label__slot__round=round_, label__is_current=True, label__is_withdrawn=False)
    return _newest(_rows(own.filter(metric=metric, label__case__in=cases)))


def label_metrics(sample: Sample) -> dict[str, int]:
    """Which metrics people spoke of in this sample, with the number of cases that have a verdict on each."""
    found = Verdict.objects.filter(_current(Case.objects.of_sample(sample)))
    counts: defaultdict[str, int] = defaultdict(int)
    for metric, _ in found.values_list("metric", "label__case").distinct():
        counts[metric] += 1
    return dict(sorted(counts.items()))


def human_verdicts(
    sample: Sample,
    metric: str,
    rule: Rule | str,
    *,
    blind: Collection[str] = (Blind.YES, Blind.UNKNOWN),
    with_judge_prompted: bool = False,
) -> dict[int, HumanVerdict]:
    """The verdict on every case of the sample, by case row id: by ruling, else by the rule.

    Labels that are known not to be blind are left out, and so are rulings that a look at a judge's scores prompted,
    unless asked for. Raises RuleError when the rule cannot read the labels.
    """
    rule = parse_rule(rule) if isinstance(rule, str) else rule
    cases = Case.objects.of_sample(sample)
    rows = [row for row in label_rows(sample, metric) if row.blind in blind]
    verdicts = verdicts_by_case(rule, rows, rulings(cases, metric, with_judge_prompted=with_judge_prompted))
    nobody = HumanVerdict(None)
    return {case_id: verdicts.get(case_id, nobody) for case_id in cases.values_list("pk", flat=True)}


def verdicts_by_case(rule: Rule, rows: Iterable[LabelRow], ruled: dict[int, str]) -> dict[int, HumanVerdict]:
    by_case: defaultdict[int, list[LabelRow]] = defaultdict(list)
    for row in rows:
        by_case[row.case_id].append(row)
    return {
        case_id: replace(
            human_verdict(rule, [Answer(row.verdict, row.grade) for row in by_case[case_id]], ruled.get(case_id, "")),
            blind=Blind.YES if all(row.blind == Blind.YES for row in by_case[case_id]) else Blind.UNKNOWN,
        )
        for case_id in {*by_case, *ruled}
    }


def rulings(cases: QuerySet[Case], metric: str, *, with_judge_prompted: bool = False) -> dict[int, str]:
    """The newest ruling on each case that has one."""
    made = Ruling.objects.filter(case__in=cases, metric=metric).order_by("pk")
    if not with_judge_prompted:
        made = made.filter(judge_prompted=False)
    return dict(made.values_list("case_id", "verdict"))


def label_hash(sample: Sample, metric: str) -> str:
    """SHA-256 over what was said: case ids, annotators, verdicts, blindness, rulings. No row ids, no times."""
    cases = Case.objects.of_sample(sample)
    names = {pk: [external_id, system] for pk, external_id, system in cases.values_list("pk", "external_id", "system")}
    said = [
        [*names[row.case_id], row.annotator, row.verdict, row.grade, row.scale_low, row.scale_high, row.blind]
        for row in label_rows(sample, metric)
    ]
    made = Ruling.objects.filter(case__in=cases, metric=metric).order_by("pk")
    newest = {
        (case_id, prompted): word for case_id, word, prompted in made.values_list("case", "verdict", "judge_prompted")
    }
    ruled = [[*names[case_id], word, prompted] for (case_id, prompted), word in newest.items()]
    return content_hash({"metric": metric, "labels": sorted(said, key=repr), "rulings": sorted(ruled, key=repr)})


def _current(cases: QuerySet[Case]) -> Q:
    return Q(label__case__in=cases, label__is_current=True, label__is_withdrawn=False) & (
        Q(label__slot__isnull=True) | Q(label__slot__round__is_training=False)
    )


def _rows(verdicts: QuerySet[Verdict]) -> Iterable[LabelRow]:
    for each in verdicts.select_related("label__annotator").order_by("label__created_at", "label_id"):
        label = each.label
        yield LabelRow(
            case_id=label.case_id,
            annotator=label.annotator.name,
            verdict=each.verdict,
            grade=each.grade,
            scale_low=each.scale_low,
            scale_high=each.scale_high,
            note=each.note or label.critique,
            failure_mode=label.failure_mode,
            blind=label.blind,
            label_id=label.pk,
            created_at=label.created_at,
            source=label.source,
        )


def _newest(rows: Iterable[LabelRow]) -> list[LabelRow]:
    newest = {(row.case_id, row.annotator): row for row in rows}
    return [newest[key] for key in sorted(newest)]
