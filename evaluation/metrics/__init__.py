"""Ways to turn a case into a score. A new metric is one file here, prompts included, and one line below."""

from __future__ import annotations

from evaluation.metrics.answer_relevancy import AnswerRelevancy
from evaluation.metrics.base import Metric, MetricResult, NotApplicable, Outcome, Unscored, outcome_of
from evaluation.metrics.contextual_precision import ContextualPrecision
from evaluation.metrics.contextual_recall import ContextualRecall
from evaluation.metrics.contextual_relevancy import ContextualRelevancy
from evaluation.metrics.faithfulness import Faithfulness

METRICS: dict[str, type[Metric]] = {
    "faithfulness": Faithfulness,
    "answer_relevancy": AnswerRelevancy,
    "contextual_recall": ContextualRecall,
    "contextual_precision": ContextualPrecision,
    "contextual_relevancy": ContextualRelevancy,
}

__all__ = ["METRICS", "Metric", "MetricResult", "NotApplicable", "Outcome", "Unscored", "outcome_of"]
