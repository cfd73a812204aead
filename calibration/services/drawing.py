"""Hands the scores of one judge down to the sampler, as plain numbers: cases never learns what they were."""

from __future__ import annotations

import math

from calibration.services.choosing import resolve_evaluator
from cases.models import DatasetVersion
from cases.services import implicit_sample
from evaluation.services import score_rows


def scores_by_row(version: DatasetVersion, *, judge: str, metric: str) -> list[float]:
    """The judge's score of each row, in the order of the rows' positions; NaN where it gave none.

    Raises CalibrationError, naming what there is, when nobody scored the version with this judge and metric.
    """
    sample = implicit_sample(version)
    evaluator = resolve_evaluator(version.dataset.project, sample, metric, judge)
    values = {row.case_id: row.value for row in score_rows(sample, evaluator) if row.value is not None}
    ordered = version.rows.order_by("position").values_list("case_id", flat=True)
    return [values.get(case_id, math.nan) for case_id in ordered]
