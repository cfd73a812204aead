"""What is judged: projects and their people, dataset versions, cases, units, samples."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth.models import AbstractUser
from django.db import models
from django.db.models import Count, OuterRef, Q, Subquery
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from cases.records import TestCase


class User(AbstractUser):
    """A person who signs in. ``language`` is the one their pages are written in; empty follows the browser."""

    language = models.CharField(max_length=8, blank=True, default="", choices=settings.LANGUAGES)


class Role(models.TextChoices):
    ANNOTATOR = "annotator", _("annotator")
    ADJUDICATOR = "adjudicator", _("adjudicator")
    LEAD = "lead", _("lead")


class ProjectQuerySet(models.QuerySet["Project"]):
    def visible_to(self, user) -> ProjectQuerySet:
        if user.is_superuser:
            return self
        return self.filter(memberships__user=user).distinct()

    def led_by(self, user) -> ProjectQuerySet:
        if user.is_superuser:
            return self
        return self.filter(memberships__user=user, memberships__role=Role.LEAD)


class Project(models.Model):
    slug = models.SlugField(max_length=60, unique=True)
    name = models.CharField(max_length=120)
    description = models.CharField(max_length=300, blank=True, default="")
    is_demo = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = ProjectQuerySet.as_manager()

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("project", args=[self.slug])


class Membership(models.Model):
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=12, choices=Role.choices)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "user"], name="one_role_a_project")]

    def __str__(self) -> str:
        return f"{self.user} {self.role} {self.project}"


class DatasetQuerySet(models.QuerySet["Dataset"]):
    def with_newest(self) -> DatasetQuerySet:
        """With the number and the size of each one's newest version, by name."""
        newest = DatasetVersion.objects.filter(dataset=OuterRef("pk")).order_by("-number")
        size = Subquery(newest.annotate(n=Count("rows")).values("n")[:1], output_field=models.IntegerField())
        number = Subquery(newest.values("number")[:1], output_field=models.IntegerField())
        return self.annotate(version=number, size=size).order_by("name")


class Dataset(models.Model):
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="datasets")
    name = models.CharField(max_length=120)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = DatasetQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "name"], name="one_dataset_a_name")]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("cases:dataset", args=[self.project.slug, self.name])

    @property
    def latest(self) -> DatasetVersion | None:
        return self.versions.order_by("-number").first()


class DatasetVersion(models.Model):
    """An immutable set of cases, known by a hash over its rows."""

    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField()
    content_hash = models.CharField(max_length=64)
    source_name = models.CharField(max_length=255, blank=True, default="")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["dataset", "number"], name="one_version_a_number"),
        ]

    def __str__(self) -> str:
        return f"{self.dataset} v{self.number}"


class Case(models.Model):
    """The judged fields of one (id, system): never changed. New content is a new case; labels stay with the old."""

    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="cases")
    external_id = models.CharField(max_length=255)
    system = models.CharField(max_length=120, blank=True, default="")
    input = models.TextField(null=True)  # noqa: DJ001  absent is not empty
    actual_output = models.TextField(null=True)  # noqa: DJ001  null: a golden; "": an empty answer
    expected_output = models.TextField(null=True)  # noqa: DJ001
    context = models.JSONField(null=True)
    retrieval_context = models.JSONField(null=True)
    tools_called = models.JSONField(null=True)
    expected_tools = models.JSONField(null=True)
    history = models.JSONField(default=list)
    judged_hash = models.CharField(max_length=64)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["dataset", "external_id", "system", "judged_hash"], name="one_case_a_content"
            )
        ]

    def __str__(self) -> str:
        return f"{self.external_id} ({self.system})" if self.system else self.external_id

    @property
    def is_golden(self) -> bool:
        return self.actual_output is None


class DatasetRow(models.Model):
    """A case's place in one version, with what describes it there and is not judged."""

    version = models.ForeignKey(DatasetVersion, on_delete=models.CASCADE, related_name="rows")
    case = models.ForeignKey(Case, on_delete=models.CASCADE, related_name="rows")
    position = models.PositiveIntegerField()
    row_hash = models.CharField(max_length=64)
    language = models.CharField(max_length=16, blank=True, default="")
    group_id = models.CharField(max_length=255, blank=True, default="", db_index=True)
    tags = models.JSONField(default=list)
    metadata = models.JSONField(default=dict)
    token_cost = models.FloatField(null=True)
    completion_time = models.FloatField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["version", "case"], name="one_row_a_case"),
            models.UniqueConstraint(fields=["version", "position"], name="one_row_a_position"),
        ]
        ordering = ["position"]

    def __str__(self) -> str:
        return f"{self.version}: {self.case}"

    def as_record(self) -> TestCase:
        """The row as the plain record that metrics and importers speak."""
        case = self.case
        return TestCase(
            id=case.external_id,
            input=case.input,
            actual_output=case.actual_output,
            expected_output=case.expected_output,
            context=_tuple(case.context),
            retrieval_context=_tuple(case.retrieval_context),
            tools_called=_tuple(case.tools_called),
            expected_tools=_tuple(case.expected_tools),
            token_cost=self.token_cost,
            completion_time=self.completion_time,
            history=tuple(case.history),
            system=case.system,
            language=self.language,
            group_id=self.group_id,
            tags=tuple(self.tags),
            metadata=self.metadata,
        )


def _tuple(value):
    return None if value is None else tuple(value)


class UnitKind(models.TextChoices):
    CLAIM = "claim", _("answer claim")
    EXPECTED = "expected", _("expected statement")
    CHUNK = "chunk", _("retrieved chunk")


class UnitSet(models.Model):
    """What people and judges both decide on, in order. Its hash is stored with each label and score."""

    case = models.ForeignKey(Case, on_delete=models.CASCADE, related_name="unit_sets")
    kind = models.CharField(max_length=8, choices=UnitKind.choices)
    source = models.CharField(max_length=60)
    hash = models.CharField(max_length=64)
    texts = models.JSONField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["case", "kind", "source", "hash"], name="one_unit_set_a_content")
        ]

    def __str__(self) -> str:
        return f"{self.case}: {len(self.texts)} {self.kind}"


class Design(models.TextChoices):
    ALL = "all", _("all cases")
    SIMPLE = "simple", _("simple random")
    STRATIFIED = "stratified", _("stratified")
    SCORE_BAND = "score-band", _("by score band")


class Purpose(models.TextChoices):
    DEVELOP = "develop", _("develop")
    CALIBRATE = "calibrate", _("calibrate")
    CONFIRM = "confirm", _("confirm")


class Sample(models.Model):
    """The part of a dataset version that is labeled and judged. ``gaps`` names what could never be drawn."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="samples")
    version = models.ForeignKey(DatasetVersion, on_delete=models.CASCADE, related_name="samples")
    name = models.CharField(max_length=120)
    design = models.CharField(max_length=12, choices=Design.choices)
    purpose = models.CharField(max_length=10, choices=Purpose.choices, default=Purpose.CALIBRATE)
    seed = models.BigIntegerField(null=True)
    parameters = models.JSONField(default=dict)
    gaps = models.JSONField(default=list)
    content_hash = models.CharField(max_length=64)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "name"], name="one_sample_a_name")]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("cases:sample", args=[self.project.slug, self.name])


class SampleItem(models.Model):
    sample = models.ForeignKey(Sample, on_delete=models.CASCADE, related_name="items")
    row = models.ForeignKey(DatasetRow, on_delete=models.CASCADE, related_name="sample_items")
    position = models.PositiveIntegerField()
    inclusion_probability = models.FloatField()
    stratum = models.CharField(max_length=120, blank=True, default="")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["sample", "row"], name="one_item_a_row"),
            models.CheckConstraint(
                condition=Q(inclusion_probability__gt=0) & Q(inclusion_probability__lte=1),
                name="probability_in_0_1",
            ),
        ]
        ordering = ["position"]

    def __str__(self) -> str:
        return f"{self.sample}: {self.row_id}"


class ImportState(models.TextChoices):
    WAITING = "waiting", _("waiting")
    RUNNING = "running", _("running")
    DONE = "done", _("done")
    REFUSED = "refused", _("refused")


class ImportJob(models.Model):
    """A file handed in through the browser: looked at, then stored by the worker when its owner says so."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="import_jobs")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True)
    dataset_name = models.CharField(max_length=120)
    source_name = models.CharField(max_length=255)
    path = models.CharField(max_length=500)
    options = models.JSONField(default=dict)
    preview = models.JSONField(default=dict)
    state = models.CharField(max_length=8, choices=ImportState.choices, null=True)  # noqa: DJ001  null: only previewed
    rows_done = models.PositiveIntegerField(default=0)
    summary = models.JSONField(default=dict)
    lease_expires_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"{self.source_name} into {self.dataset_name}"

    def get_absolute_url(self) -> str:
        return reverse("cases:import", args=[self.project.slug, self.pk])


class Exposure(models.Model):
    """Who has seen what a judge said about a case, and when first. Append-only."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="exposures")
    case = models.ForeignKey(Case, on_delete=models.CASCADE, related_name="exposures")
    seen_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "case"], name="first_exposure_counts")]

    def __str__(self) -> str:
        return f"{self.user} saw the scores of {self.case}"


class AuditEntry(models.Model):
    """One state-changing act: who, what, on what, with what. Append-only."""

    project = models.ForeignKey(Project, on_delete=models.SET_NULL, null=True, related_name="audit")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True)
    action = models.CharField(max_length=60)
    target = models.CharField(max_length=255, blank=True, default="")
    data = models.JSONField(default=dict)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"{self.user} {self.action} {self.target}"
