"""Who answers and what is asked: annotators, and the versioned questions of a screen."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from cases.models import Project


class Annotator(models.Model):
    """A person known by a name in a project: one who signs in, or one whose labels were imported."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="annotators")
    name = models.CharField(max_length=120)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="annotators")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "name"], name="one_annotator_a_name")]

    def __str__(self) -> str:
        return self.name


class QuestionSet(models.Model):
    """The questions of a screen, versioned: a change makes a new version, labels keep the one they answered."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="question_sets")
    name = models.CharField(max_length=120)
    version = models.PositiveIntegerField(default=1)
    content_hash = models.CharField(max_length=64)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "name", "version"], name="one_question_set_a_version")
        ]

    def __str__(self) -> str:
        return f"{self.name} v{self.version}"


class Question(models.Model):
    """One question: overall or a metric. ``unit_kind`` asks for verdicts on units too; a grade needs a scale."""

    question_set = models.ForeignKey(QuestionSet, on_delete=models.CASCADE, related_name="questions")
    position = models.PositiveSmallIntegerField()
    key = models.SlugField(max_length=60)
    title = models.CharField(max_length=120)
    guideline = models.TextField(blank=True, default="")
    unit_kind = models.CharField(max_length=8, blank=True, default="")
    grades = models.JSONField(default=list)  # the declared ordered scale, empty: none
    needs_expected = models.BooleanField(default=False)  # asked with the expected answer open

    class Meta:
        constraints = [models.UniqueConstraint(fields=["question_set", "key"], name="one_question_a_key")]
        ordering = ["position"]

    def __str__(self) -> str:
        return self.title
