"""What judges said: evaluator versions, runs with leased jobs, scores."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from cases.models import Case, Project, Sample, SampleItem
from evaluation.replies import UnitVerdict, read_verdict, text_of

#: The protocol of scores that came in a file: somebody else's judge, known by its name alone.
IMPORTED = "imported"


class EvaluatorQuerySet(models.QuerySet["EvaluatorVersion"]):
    def beside(self, hidden: QuerySet[Case]) -> EvaluatorQuerySet:
        """Without those that have judged, or are to judge, hidden cases and nothing else."""
        scores, runs = Score.objects.filter(evaluator=OuterRef("pk")), Run.objects.filter(evaluator=OuterRef("pk"))
        of_hidden = Q(Exists(scores.filter(case__in=hidden))) | Q(
            Exists(runs.filter(sample__items__row__case__in=hidden))
        )
        return self.filter(~of_hidden | Q(Exists(scores.exclude(case__in=hidden))))


class EvaluatorVersion(models.Model):
    """Metric, judge, prompts and parameters, identified by a fingerprint over ``description``."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="evaluators")
    metric = models.CharField(max_length=60)
    judge = models.CharField(max_length=160)
    fingerprint = models.CharField(max_length=64)
    description = models.JSONField()  # protocol, metric_version, prompts_hash, unit_source, model, parameters ...
    created_at = models.DateTimeField(auto_now_add=True)

    objects = EvaluatorQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "fingerprint"], name="one_evaluator_a_fingerprint")]

    def __str__(self) -> str:
        return f"{self.judge} on {self.metric}"

    def get_absolute_url(self) -> str:
        return reverse("evaluation:evaluator", args=[self.project.slug, self.pk])

    @property
    def parts(self) -> list[tuple[str, object]]:
        """What the fingerprint is over, part by part; parts that are nothing are left out, hashes shortened."""
        parts = ((name, value[:16] if name.endswith("_hash") else value) for name, value in self.description.items())
        return [(name.replace("_", " "), value) for name, value in sorted(parts) if value]

    @property
    def is_imported(self) -> bool:
        return self.protocol == IMPORTED

    @property
    def repeats(self) -> int:
        return int(self.description.get("repeats", 1))

    @property
    def protocol(self) -> str:
        return str(self.description.get("protocol", ""))


class RunState(models.TextChoices):
    WAITING = "waiting", _("waiting")
    RUNNING = "running", _("running")
    DONE = "done", _("done")
    STOPPED = "stopped", _("stopped")


class RunQuerySet(models.QuerySet["Run"]):
    def of_project(self, project: Project) -> RunQuerySet:
        """The newest first, each with how many jobs it has and how many are done."""
        runs = self.filter(project=project).select_related("sample__project", "evaluator__project", "project")
        done = models.Count("jobs", filter=Q(jobs__state=JobState.DONE))
        return runs.annotate(jobs_all=models.Count("jobs"), jobs_done=done).order_by("-pk")


class Run(models.Model):
    """An evaluator version over a sample. ``reason`` says why a stopped run stopped."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="runs")
    sample = models.ForeignKey(Sample, on_delete=models.CASCADE, related_name="runs")
    evaluator = models.ForeignKey(EvaluatorVersion, on_delete=models.CASCADE, related_name="runs")
    state = models.CharField(max_length=8, choices=RunState.choices, default=RunState.WAITING)
    epoch = models.PositiveIntegerField(default=0)
    repeats = models.PositiveSmallIntegerField(default=1)
    reason = models.CharField(max_length=300, blank=True, default="")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True)
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True)

    objects = RunQuerySet.as_manager()

    def __str__(self) -> str:
        return f"run {self.pk} of {self.evaluator}"

    def get_absolute_url(self) -> str:
        return reverse("evaluation:run", args=[self.project.slug, self.pk])


class JobState(models.TextChoices):
    WAITING = "waiting", _("waiting")
    LEASED = "leased", _("leased")
    DONE = "done", _("done")


class Job(models.Model):
    """One case to be judged once: a row, leased by a worker, done when its score is stored."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="jobs")
    item = models.ForeignKey(SampleItem, on_delete=models.CASCADE, related_name="jobs")
    repeat = models.PositiveSmallIntegerField(default=0)
    state = models.CharField(max_length=7, choices=JobState.choices, default=JobState.WAITING)
    lease_expires_at = models.DateTimeField(null=True)
    lease_token = models.UUIDField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "item", "repeat"], name="one_job_a_case_and_repeat")]
        indexes = [models.Index(fields=["run", "state"], name="job_queue")]

    def __str__(self) -> str:
        return f"{self.run}: item {self.item_id}"


class ScoreState(models.TextChoices):
    SCORED = "scored", _("scored")
    UNSCORED = "unscored", _("unscored")
    NOT_APPLICABLE = "not_applicable", _("not applicable")


class ScoreQuerySet(models.QuerySet["Score"]):
    def that_count(self) -> ScoreQuerySet:
        """The newest epoch of each case and repeat; earlier ones stay stored."""
        return self.filter(is_current=True)

    def of_sample(self, sample: Sample) -> ScoreQuerySet:
        """A case has one row in a version, so one item in a sample: the joins double nothing."""
        return self.filter(case__rows__sample_items__sample=sample)

    def in_sample_order(self) -> ScoreQuerySet:
        """After ``of_sample``: as the sample lists its cases."""
        return self.with_rows().order_by("case__rows__sample_items__position", "repeat")

    def with_rows(self) -> ScoreQuerySet:
        """After ``of_sample``: each with its case and ``row_id``, by which a page links to the case."""
        return self.select_related("case").annotate(row_id=models.F("case__rows__pk"))


class Score(models.Model):
    """What an evaluator version said of a case: scored, unscored with a reason, or not applicable.

    A later epoch (``--fresh``, a changed import, an unscored case judged again) is a new row; the newest counts.
    """

    case = models.ForeignKey(Case, on_delete=models.CASCADE, related_name="scores")
    evaluator = models.ForeignKey(EvaluatorVersion, on_delete=models.CASCADE, related_name="scores")
    run = models.ForeignKey(Run, on_delete=models.SET_NULL, null=True, related_name="scores")
    repeat = models.PositiveSmallIntegerField(default=0)
    epoch = models.PositiveIntegerField(default=0)
    is_current = models.BooleanField(default=True)
    state = models.CharField(max_length=14, choices=ScoreState.choices)
    value = models.FloatField(null=True)
    reason = models.TextField(blank=True, default="")  # the judge's; for unscored and not applicable: why
    raw_reply = models.TextField(blank=True, default="")
    flags = models.JSONField(default=list)
    verdicts = models.JSONField(default=list)  # [{unit, verdict, reason}] in the units' order
    unit_hashes = models.JSONField(default=dict)  # kind -> hash of the unit set judged
    served_model = models.CharField(max_length=160, blank=True, default="")
    created_at = models.DateTimeField(auto_now_add=True)

    objects = ScoreQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["case", "evaluator", "repeat", "epoch"], name="one_score_a_case_and_repeat"
            ),
            models.UniqueConstraint(
                fields=["case", "evaluator", "repeat"], condition=Q(is_current=True), name="one_score_counts"
            ),
            models.CheckConstraint(
                condition=Q(state="scored", value__gte=0, value__lte=1) | (~Q(state="scored") & Q(value__isnull=True)),
                name="a_number_only_when_scored",
            ),
        ]
        indexes = [models.Index(fields=["evaluator", "is_current", "state", "value"], name="score_tally")]

    def __str__(self) -> str:
        return f"{self.evaluator} on {self.case}: {self.value if self.value is not None else self.state}"

    @property
    def unit_verdicts(self) -> list[UnitVerdict]:
        """The verdicts as a page shows them, also those of a file that names their texts its own way."""
        return [
            UnitVerdict(str(each.get("verdict", "")), str(each.get("reason") or ""), text_of(each))
            for each in self.verdicts
        ]

    @property
    def yes_count(self) -> int:
        return sum(read_verdict(verdict.verdict) == "yes" for verdict in self.unit_verdicts)
