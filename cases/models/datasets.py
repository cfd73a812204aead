"""What is judged: datasets, their immutable versions, cases and their rows, units."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.db import models
from django.db.models import Count, Exists, OuterRef, Subquery
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from cases.models.people import Project
from cases.records import TestCase

if TYPE_CHECKING:
    from cases.models.samples import Sample


class DatasetQuerySet(models.QuerySet["Dataset"]):
    def stored(self) -> DatasetQuerySet:
        """Those that hold a version: one without has nothing to draw from, and is neither listed nor found."""
        return self.filter(Exists(DatasetVersion.objects.filter(dataset=OuterRef("pk"))))

    def with_newest(self) -> DatasetQuerySet:
        """With the number and the size of each one's newest version, by name."""
        newest = DatasetVersion.objects.filter(dataset=OuterRef("pk")).order_by("-number")
        size = Subquery(newest.annotate(n=Count("rows")).values("n")[:1], output_field=models.IntegerField())
        number = Subquery(newest.values("number")[:1], output_field=models.IntegerField())
        return self.stored().annotate(version=number, size=size).order_by("name")


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


class CaseQuerySet(models.QuerySet["Case"]):
    def of_sample(self, sample: Sample) -> CaseQuerySet:
        """A case has one row in a version, so one item in a sample: the joins double nothing."""
        return self.filter(rows__sample_items__sample=sample)


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

    objects = CaseQuerySet.as_manager()

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


def _tuple(value: list[Any] | None) -> tuple[Any, ...] | None:
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
