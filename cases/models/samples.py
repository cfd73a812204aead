"""The part of a dataset version that is labeled and judged."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from cases.models.datasets import DatasetRow, DatasetVersion
from cases.models.people import Project


class Design(models.TextChoices):
    ALL = "all", _("all cases")
    SIMPLE = "simple", _("simple random")
    STRATIFIED = "stratified", _("stratified")
    SCORE_BAND = "score-band", _("by score band")


class Purpose(models.TextChoices):
    DEVELOP = "develop", _("develop")
    CALIBRATE = "calibrate", _("calibrate")
    CONFIRM = "confirm", _("confirm")


class SampleQuerySet(models.QuerySet["Sample"]):
    def drawn(self) -> SampleQuerySet:
        """Without those that only stand for a whole dataset version: these go by the dataset's name."""
        return self.exclude(parameters={"implicit": True})


class Sample(models.Model):
    """The part of a dataset version that is labeled and judged. ``gaps`` names what could never be drawn."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="samples")
    version = models.ForeignKey(DatasetVersion, on_delete=models.CASCADE, related_name="samples")
    name = models.CharField(max_length=160)  # a name of 120 letters, and " v12 (all)" behind it
    design = models.CharField(max_length=12, choices=Design.choices)
    purpose = models.CharField(max_length=10, choices=Purpose.choices, default=Purpose.CALIBRATE)
    seed = models.BigIntegerField(null=True)
    parameters = models.JSONField(default=dict)
    gaps = models.JSONField(default=list)
    content_hash = models.CharField(max_length=64)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = SampleQuerySet.as_manager()

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
    stratum = models.CharField(max_length=160, blank=True, default="")

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
