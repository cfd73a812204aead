"""What was done: files handed in, scores seen, acts that changed something."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from cases.models.datasets import Case
from cases.models.people import Project


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
