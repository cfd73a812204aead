"""Who works here: people, projects, and who has which role in which."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth.models import AbstractUser
from django.db import models
from django.urls import reverse
from django.utils.translation import gettext_lazy as _


class User(AbstractUser):
    """A person who signs in. ``language`` is the one their pages are written in; empty follows the browser."""

    language = models.CharField(max_length=8, blank=True, default="", choices=settings.LANGUAGES)


class Role(models.TextChoices):
    ANNOTATOR = "annotator", _("annotator")
    ADJUDICATOR = "adjudicator", _("adjudicator")
    LEAD = "lead", _("lead")


class ProjectQuerySet(models.QuerySet["Project"]):
    def visible_to(self, user: User) -> ProjectQuerySet:
        if user.is_superuser:
            return self
        return self.filter(memberships__user=user).distinct()

    def led_by(self, user: User) -> ProjectQuerySet:
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
