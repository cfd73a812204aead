"""A short mark of every label a calibration rests on, so that it can be said later how many have changed."""

from __future__ import annotations

from cases.models import Case, Sample
from cases.records import content_hash
from labeling.services import label_rows
from labeling.services.reading import rulings

LENGTH = 8


def label_marks(sample: Sample, metric: str) -> dict[str, str]:
    """Who on which case -> what was said, both as short hashes; rulings are of nobody in particular."""
    cases = Case.objects.of_sample(sample)
    names = {pk: [case, system] for pk, case, system in cases.values_list("pk", "external_id", "system")}
    marks = {
        _mark([*names[row.case_id], row.annotator]): _mark([row.verdict, row.grade, row.blind])
        for row in label_rows(sample, metric)
    }
    ruled = rulings(cases, metric, with_judge_prompted=True)
    return marks | {_mark([*names[pk], None]): _mark(verdict) for pk, verdict in ruled.items()}


def _mark(value: object) -> str:
    return content_hash(value)[:LENGTH]
