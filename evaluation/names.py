"""How metrics and their like are called on a page. Unknown ones, from imports, by their own name in words."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

METRIC_NAMES = {
    "faithfulness": _("Faithfulness"),
    "answer_relevancy": _("Answer relevancy"),
    "contextual_recall": _("Contextual recall"),
    "contextual_precision": _("Contextual precision"),
    "contextual_relevancy": _("Contextual relevancy"),
    "overall": _("Overall"),
}

FLAG_NAMES = {
    "no_claims": _("no claims to judge"),
    "no_expected_statements": _("no expected statements to judge"),
    "no_chunks": _("no chunks to judge"),
    "recorded_score": _("score as recorded, without verdicts"),
}


#: Inside a metric a judge says these of one claim, statement or chunk.
UNIT_VERDICT_NAMES = {"yes": _("yes"), "no": _("no"), "idk": _("idk")}


def metric_name(metric: str) -> str:
    return str(METRIC_NAMES.get(metric) or metric.replace("_", " ").capitalize())


def flag_name(flag: str) -> str:
    return str(FLAG_NAMES.get(flag) or flag.replace("_", " "))


def unit_verdict_name(verdict: str) -> str:
    return str(UNIT_VERDICT_NAMES.get(verdict) or verdict)
