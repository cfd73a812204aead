"""Scores that came along with an import: kept under the judge's own name, never turned into anything else."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from django.db import transaction

from cases.models import Case, Project
from cases.records import Record, ScoreRecord, content_hash
from evaluation.models import IMPORTED, EvaluatorVersion, Score, ScoreState
from evaluation.services.storing import store_scores


@transaction.atomic
def store_imported_scores(project: Project, batch: Sequence[tuple[Case, Record]]) -> Counter[str]:
    """Store what judges said of a batch of cases; count what was new or changed. The same file twice changes nothing.

    A score that differs from the stored one replaces nothing silently: it is the next epoch, and the newest counts.
    Several scores by one judge of one case under one metric are its repeats.
    """
    entries = list(_with_repeats(batch))
    if not entries:
        return Counter()
    evaluators = _evaluators(project, [record for _, record, _ in entries])
    scores = [_score(case, evaluators[record.judge, record.metric], record, k) for case, record, k in entries]
    return Counter({"scores": store_scores(scores)})


def _with_repeats(batch: Sequence[tuple[Case, Record]]) -> Iterable[tuple[Case, ScoreRecord, int]]:
    seen: Counter[tuple[int, str, str]] = Counter()
    for case, record in batch:
        for score in record.scores:
            key = (case.pk, score.judge, score.metric)
            yield case, score, seen[key]
            seen[key] += 1


def _evaluators(project: Project, records: Iterable[ScoreRecord]) -> dict[tuple[str, str], EvaluatorVersion]:
    wanted = {(record.judge, record.metric): imported_description(record.judge, record.metric) for record in records}
    prints = {key: content_hash(description) for key, description in wanted.items()}
    EvaluatorVersion.objects.bulk_create(
        [
            EvaluatorVersion(
                project=project, judge=judge, metric=metric, fingerprint=prints[judge, metric], description=description
            )
            for (judge, metric), description in wanted.items()
        ],
        ignore_conflicts=True,
    )
    stored = EvaluatorVersion.objects.filter(project=project, fingerprint__in=prints.values())
    by_print = {evaluator.fingerprint: evaluator for evaluator in stored}
    return {key: by_print[fingerprint] for key, fingerprint in prints.items()}


def imported_description(judge: str, metric: str) -> dict[str, Any]:
    """All that is known of a judge whose scores came in a file."""
    return {"protocol": IMPORTED, "judge": judge, "metric": metric}


def _score(case: Case, evaluator: EvaluatorVersion, record: ScoreRecord, repeat: int) -> Score:
    state, value, reason = _outcome(record)
    return Score(
        case=case,
        evaluator=evaluator,
        repeat=repeat,
        state=state,
        value=value,
        reason=reason,
        raw_reply=json.dumps(record.raw, ensure_ascii=False, default=str) if record.raw else "",
        flags=list(record.flags),
        verdicts=[dict(verdict) for verdict in record.verdicts],
    )


def _outcome(record: ScoreRecord) -> tuple[str, float | None, str]:
    if record.not_applicable:
        return ScoreState.NOT_APPLICABLE, None, record.not_applicable
    if record.error:
        return ScoreState.UNSCORED, None, record.error
    if record.score is None or not math.isfinite(record.score):
        return ScoreState.UNSCORED, None, "the file holds no score that can be read"
    if not 0 <= record.score <= 1:  # the importer refuses it; whoever calls this otherwise gets no number either
        return ScoreState.UNSCORED, None, f"{record.score:g} is outside 0 to 1"
    return ScoreState.SCORED, float(record.score), record.reason
