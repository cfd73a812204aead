"""The verbs of this app: each is one function, one transaction."""

from evaluation.services.draining import drain, drain_runs
from evaluation.services.imported import store_imported_scores
from evaluation.services.reading import ScoreRow, Tally, evaluators_for, score_rows, scores_hash, tally_of
from evaluation.services.runs import start_run
from evaluation.services.versions import EvaluatorError, evaluator_version, recorded_evaluators

__all__ = [
    "EvaluatorError",
    "ScoreRow",
    "Tally",
    "drain",
    "drain_runs",
    "evaluator_version",
    "evaluators_for",
    "recorded_evaluators",
    "score_rows",
    "scores_hash",
    "start_run",
    "store_imported_scores",
    "tally_of",
]
