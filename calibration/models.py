"""Where both sides meet: frozen calibrations."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from django.conf import settings
from django.db import models
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from cases.models import Project, Sample


class CalibrationState(models.TextChoices):
    TRUSTED = "trusted", _("trusted")
    INCONCLUSIVE = "inconclusive", _("inconclusive")
    UNTRUSTED = "untrusted", _("untrusted")


class Calibration(models.Model):
    """A frozen snapshot: the document as it was computed, byte for byte. Later edits make it stale, never change it."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="calibrations")
    sample = models.ForeignKey(Sample, on_delete=models.SET_NULL, null=True, related_name="calibrations")
    evaluator = models.ForeignKey(
        "evaluation.EvaluatorVersion", on_delete=models.SET_NULL, null=True, related_name="calibrations"
    )
    number = models.PositiveIntegerField()
    metric = models.CharField(max_length=60)
    human_metric = models.CharField(max_length=60)
    request = models.JSONField()  # what was asked: rule, costs, seed ... enough to compute it again
    snapshot = models.TextField()
    state = models.CharField(max_length=12, choices=CalibrationState.choices)
    label_hash = models.CharField(max_length=64)
    scores_hash = models.CharField(max_length=64)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "number"], name="one_calibration_a_number")]
        ordering = ["-number"]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("calibration:calibration", args=[self.project.slug, self.number])

    @property
    def name(self) -> str:
        """What ``workbench export`` takes."""
        return f"{self.metric}-{self.number}"

    @property
    def document(self) -> dict[str, Any]:
        return dict(json.loads(self.snapshot))

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.snapshot.encode()).hexdigest()
