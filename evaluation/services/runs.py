"""Runs: which cases an evaluator version still has to judge, one job a case and repeat."""

from __future__ import annotations

from django.db import transaction
from django.db.models import Exists, Max, OuterRef, Q, QuerySet
from django.utils import timezone

from cases.models import Sample, SampleItem, User
from cases.services import audit
from evaluation.models import IMPORTED, EvaluatorVersion, Job, Run, RunState, Score, ScoreState
from evaluation.services.versions import EvaluatorError

UNFINISHED = (RunState.WAITING, RunState.RUNNING)


@transaction.atomic
def start_run(sample: Sample, evaluator: EvaluatorVersion, user: User | None = None, *, fresh: bool = False) -> Run:
    """Make a run with jobs for the cases that have no result yet, or whose judge failed.

    With unchanged inputs there is none, and the run is done at once. ``fresh`` judges every case again, in a new
    epoch. A run of the same evaluator on the sample that is not finished is returned instead of a second one.
    """
    if evaluator.is_imported:
        raise EvaluatorError(f"{evaluator} came in a file and cannot be asked. Use the replay judge to repeat it.")
    unfinished = Run.objects.filter(sample=sample, evaluator=evaluator, state__in=UNFINISHED)
    if not fresh and (run := unfinished.first()):
        return run
    items = sample.items.all() if fresh else items_to_judge(sample, evaluator)
    item_ids = list(items.values_list("pk", flat=True))
    repeats = evaluator.repeats
    run = Run.objects.create(
        project=sample.project,
        sample=sample,
        evaluator=evaluator,
        user=user,
        repeats=repeats,
        epoch=_next_epoch(evaluator, items),
        **({} if item_ids else {"state": RunState.DONE, "finished_at": timezone.now()}),
    )
    jobs = [Job(run=run, item_id=item_id, repeat=repeat) for item_id in item_ids for repeat in range(repeats)]
    Job.objects.bulk_create(jobs, batch_size=1000)
    audit(run.project, user, "start run", run, evaluator=evaluator.fingerprint, sample=sample.name, jobs=len(jobs))
    return run


def items_to_judge(sample: Sample, evaluator: EvaluatorVersion) -> QuerySet[SampleItem]:
    """The sample's items without a result that stands: a repeat is missing or unscored, or recorded anew since."""
    stands = Score.objects.that_count().filter(evaluator=evaluator, case=OuterRef("row__case"))
    wanted = Q(Exists(stands.filter(state=ScoreState.UNSCORED))) | Q(_recorded_since(evaluator))
    for repeat in range(evaluator.repeats):
        wanted |= Q(~Exists(stands.filter(repeat=repeat)))
    return sample.items.filter(wanted)


def _recorded_since(evaluator: EvaluatorVersion) -> Exists | Q:
    """For a replay: the recording is an input, and a newer one is a changed input."""
    recorded = evaluator.description.get("recorded")
    if not recorded:
        return Q(pk__in=[])
    replayed = Score.objects.that_count().filter(evaluator=evaluator, case=OuterRef("case"))
    newer = recordings(evaluator).filter(Exists(replayed.filter(created_at__lt=OuterRef("created_at"))))
    return Exists(newer.filter(case=OuterRef("row__case")))


def recordings(evaluator: EvaluatorVersion) -> QuerySet[Score]:
    """The imported scores that a replaying evaluator repeats."""
    return Score.objects.that_count().filter(
        evaluator__project_id=evaluator.project_id,
        evaluator__judge=evaluator.description["recorded"],
        evaluator__metric=evaluator.metric,
        evaluator__description__protocol=IMPORTED,
    )


def _next_epoch(evaluator: EvaluatorVersion, items: QuerySet[SampleItem]) -> int:
    """Past every result these cases have, so that what this run finds becomes what counts."""
    results = Score.objects.filter(evaluator=evaluator, case__in=items.values("row__case"))
    last = results.aggregate(last=Max("epoch"))["last"]
    return 0 if last is None else last + 1
