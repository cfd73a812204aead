"""Doing what waits: claim a batch of jobs, ask the judge about them, store what came of it.

Every driver (the worker's loop, the command, a Celery task) calls the same two functions. A job is leased: a worker
that dies holds it until the lease lapses, and then another one does the batch again. Nothing else is repeated.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from itertools import count
from uuid import uuid4

from django.db import connection, transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from cases.models import UnitSet
from cases.services import ensure_units_of_many
from evaluation.judges import Judge
from evaluation.metrics import METRICS, Metric, MetricResult, NotApplicable, Outcome, Unscored, outcome_of
from evaluation.models import Job, JobState, Run, RunState, Score, ScoreState
from evaluation.services.judges import judges_for
from evaluation.services.runs import UNFINISHED
from evaluation.services.storing import store_scores
from evaluation.services.versions import EvaluatorError, require_current

BATCH = 64
LEASE = timedelta(minutes=5)

logger = logging.getLogger(__name__)


def drain_runs() -> int:
    """Do one batch of the oldest run that has free jobs; return how many were done, 0 when nothing waits."""
    runs = Run.objects.filter(state__in=UNFINISHED).select_related("evaluator__project").order_by("pk")
    return next((done for run in runs if (done := drain(run, most_batches=1))), 0)


def drain(run: Run, *, most_batches: int | None = None, progress: Callable[[int], None] = lambda done: None) -> int:
    """Do the run's free jobs, batch by batch; several workers may do so at once. Return how many this one did."""
    try:
        require_current(run.evaluator)
    except EvaluatorError as error:
        Run.objects.filter(pk=run.pk, state__in=UNFINISHED).update(state=RunState.STOPPED, reason=str(error)[:300])
        return 0
    Run.objects.filter(pk=run.pk, state=RunState.WAITING).update(state=RunState.RUNNING)
    done = 0
    with asyncio.Runner() as loop:
        for _ in count() if most_batches is None else range(most_batches):
            if not (batch := claim(run)):
                break
            done += _do_or_give_back(run, batch, loop)
            progress(done)
    _finish(run)
    return done


def claim(run: Run, *, size: int | None = None) -> list[Job]:
    """Lease the next free jobs in one transaction; empty when none is free or the run was stopped."""
    token, now = uuid4(), timezone.now()
    with transaction.atomic():
        free = _free_jobs(run).order_by("pk")
        if connection.features.has_select_for_update_skip_locked:
            free = free.select_for_update(skip_locked=True, of=("self",))
        ids = list(free.values_list("pk", flat=True)[: size or BATCH])
        _free_jobs(run).filter(pk__in=ids).update(
            state=JobState.LEASED, lease_token=token, lease_expires_at=now + LEASE
        )
    return list(Job.objects.filter(lease_token=token).select_related("item__row__case").order_by("pk"))


def _free_jobs(run: Run) -> QuerySet[Job]:
    lapsed = Q(state=JobState.LEASED, lease_expires_at__lt=timezone.now())
    return Job.objects.filter(Q(state=JobState.WAITING) | lapsed, run=run, run__state__in=UNFINISHED)


def _do_or_give_back(run: Run, batch: Sequence[Job], loop: asyncio.Runner) -> int:
    """A worker that is told to stop, or that breaks, gives its jobs back: nobody waits for the lease to lapse."""
    try:
        return _do(run, batch, loop)
    except BaseException:
        mine = Job.objects.filter(lease_token=batch[0].lease_token, state=JobState.LEASED)
        mine.update(state=JobState.WAITING, lease_token=None, lease_expires_at=None)
        raise


def _do(run: Run, batch: Sequence[Job], loop: asyncio.Runner) -> int:
    rows = {job.item.row.case_id: job.item.row for job in batch}
    units, judges = ensure_units_of_many(list(rows.values())), judges_for(run.evaluator, list(rows))
    metric = METRICS[run.evaluator.metric]()
    outcomes = loop.run(_judge(metric, batch, judges, units))
    scores = [
        _score(run, job, outcome, units[job.item.row.case_id].get(metric.unit_kind))
        for job, outcome in zip(batch, outcomes, strict=True)
    ]
    return _store(batch, scores, run.epoch)


async def _judge(
    metric: Metric,
    batch: Sequence[Job],
    judges: Mapping[int, Judge],
    units: Mapping[int, Mapping[str, UnitSet]],
) -> list[Outcome]:
    asked = (_judge_one(metric, job, judges[job.item.row.case_id], units[job.item.row.case_id]) for job in batch)
    return list(await asyncio.gather(*asked))


async def _judge_one(metric: Metric, job: Job, judge: Judge, units: Mapping[str, UnitSet]) -> Outcome:
    """One case's outcome. Whatever breaks here is this case's reason, not its siblings'."""
    try:
        texts = {kind: unit_set.texts for kind, unit_set in units.items()}
        return await outcome_of(metric, job.item.row.as_record(), judge, texts)
    except Exception as error:
        logger.exception("%s broke on job %s", type(metric).__name__, job.pk)
        return Unscored(f"the metric broke: {type(error).__name__}: {error}")


def _score(run: Run, job: Job, outcome: Outcome, units: UnitSet | None) -> Score:
    score = Score(case_id=job.item.row.case_id, evaluator=run.evaluator, run=run, repeat=job.repeat)
    score.unit_hashes = {units.kind: units.hash} if units else {}
    match outcome:
        case MetricResult():
            score.state, score.value, score.flags = ScoreState.SCORED, outcome.score, list(outcome.flags)
            score.verdicts = [verdict.as_dict() for verdict in outcome.verdicts]
        case NotApplicable():
            score.state, score.reason = ScoreState.NOT_APPLICABLE, outcome.reason
        case Unscored():
            score.state, score.reason, score.raw_reply = ScoreState.UNSCORED, outcome.reason, outcome.raw_reply
    return score


@transaction.atomic
def _store(batch: Sequence[Job], scores: Sequence[Score], epoch: int) -> int:
    """Store the scores of those jobs that are still ours, and mark these done: both or neither."""
    held = Job.objects.select_for_update().filter(lease_token=batch[0].lease_token, state=JobState.LEASED)
    ours = set(held.values_list("pk", flat=True))
    store_scores([score for job, score in zip(batch, scores, strict=True) if job.pk in ours], epoch=epoch)
    Job.objects.filter(pk__in=ours).update(state=JobState.DONE, lease_token=None, lease_expires_at=None)
    return len(ours)


def _finish(run: Run) -> None:
    """Done once no job is left; jobs that another worker holds leave the run as it is."""
    if not run.jobs.exclude(state=JobState.DONE).exists():
        done = {"state": RunState.DONE, "finished_at": timezone.now()}
        Run.objects.filter(pk=run.pk, state__in=UNFINISHED).update(**done)
    run.refresh_from_db(fields=["state", "reason", "finished_at"])
