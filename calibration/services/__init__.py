"""The verbs of this app: compute a calibration, freeze it, say what has changed since, find it again."""

from calibration.services.calibrations import (
    NOBODY_LABELED,
    REASON_NEEDED,
    Ask,
    Known,
    ask_for,
    ask_of,
    at,
    calibrated,
    compute,
    find_calibration,
    freeze,
    metric_of,
    rates_at,
    staleness,
    table_of,
)
from calibration.services.choosing import CalibrationError, resolve_evaluator
from calibration.services.drawing import scores_by_row

__all__ = [
    "NOBODY_LABELED",
    "REASON_NEEDED",
    "Ask",
    "CalibrationError",
    "Known",
    "ask_for",
    "ask_of",
    "at",
    "calibrated",
    "compute",
    "find_calibration",
    "freeze",
    "metric_of",
    "rates_at",
    "resolve_evaluator",
    "scores_by_row",
    "staleness",
    "table_of",
]
