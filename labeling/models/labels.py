"""What was answered: labels with their verdicts, and rulings. Append-only."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from cases.models import Case
from labeling.models.questions import Annotator, QuestionSet
from labeling.models.rounds import Slot


class Blind(models.TextChoices):
    YES = "yes", _("blind")
    NO = "no", _("not blind")
    UNKNOWN = "unknown", _("unknown")


class LabelSource(models.TextChoices):
    ROUND = "round", _("round")
    IMPORT = "import", _("import")


class LabelQuerySet(models.QuerySet["Label"]):
    def current(self) -> LabelQuerySet:
        """The newest revision of each annotator's answer, unless taken back; the older ones stay in the table."""
        return self.filter(is_current=True, is_withdrawn=False)


class Label(models.Model):
    """One submission: a revision by one annotator of one case, with a verdict row per question. Append-only.

    ``is_current`` is the one column that later submissions change: it marks the newest revision.
    """

    case = models.ForeignKey(Case, on_delete=models.CASCADE, related_name="labels")
    annotator = models.ForeignKey(Annotator, on_delete=models.CASCADE, related_name="labels")
    slot = models.ForeignKey(Slot, on_delete=models.CASCADE, null=True, related_name="labels")
    question_set = models.ForeignKey(QuestionSet, on_delete=models.RESTRICT, null=True, related_name="labels")
    revision = models.PositiveIntegerField()
    client_id = models.UUIDField()
    source = models.CharField(max_length=6, choices=LabelSource.choices)
    blind = models.CharField(max_length=7, choices=Blind.choices)
    is_current = models.BooleanField(default=True)
    is_withdrawn = models.BooleanField(default=False)  # a revision that takes the answer back: no verdicts
    restores = models.PositiveIntegerField(null=True)  # an undo: the revision it is equal to, 0 for none
    critique = models.TextField(blank=True, default="")
    failure_mode = models.CharField(max_length=40, blank=True, default="")
    seconds = models.FloatField(null=True)
    created_at = models.DateTimeField(default=timezone.now)

    objects = LabelQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["annotator", "client_id"], name="one_label_a_click"),
            models.UniqueConstraint(
                fields=["slot", "revision"], condition=Q(slot__isnull=False), name="one_label_a_revision"
            ),
            models.UniqueConstraint(
                fields=["case", "annotator", "revision"],
                condition=Q(slot__isnull=True),
                name="one_imported_label_a_revision",
            ),
            models.UniqueConstraint(
                fields=["slot"],
                condition=Q(is_current=True, slot__isnull=False),
                name="one_current_label_a_slot",
            ),
            models.UniqueConstraint(
                fields=["case", "annotator"],
                condition=Q(is_current=True, slot__isnull=True),
                name="one_current_imported_label",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.annotator} on {self.case}, revision {self.revision}"


class VerdictWord(models.TextChoices):
    PASS = "pass", _("pass")
    FAIL = "fail", _("fail")
    UNSURE = "unsure", _("unsure")
    NOT_APPLICABLE = "not_applicable", _("not applicable")


class Verdict(models.Model):
    """The answer to one question: a word, or a grade on a declared scale, or both."""

    label = models.ForeignKey(Label, on_delete=models.CASCADE, related_name="verdicts")
    metric = models.CharField(max_length=60)
    verdict = models.CharField(max_length=14, blank=True, default="", choices=VerdictWord.choices)
    grade = models.FloatField(null=True)
    scale_low = models.FloatField(null=True)
    scale_high = models.FloatField(null=True)
    note = models.TextField(blank=True, default="")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["label", "metric"], name="one_verdict_a_question"),
            models.CheckConstraint(condition=~Q(verdict="") | Q(grade__isnull=False), name="word_or_grade"),
        ]

    def __str__(self) -> str:
        return f"{self.metric}: {self.verdict or self.grade}"


class UnitVerdict(models.Model):
    """What was said of one unit (a claim, an expected statement, a chunk), tied to the unit set it was said of."""

    label = models.ForeignKey(Label, on_delete=models.CASCADE, related_name="unit_verdicts")
    metric = models.CharField(max_length=60)
    kind = models.CharField(max_length=8)
    unit_hash = models.CharField(max_length=64)
    index = models.PositiveSmallIntegerField()
    verdict = models.CharField(max_length=20)
    evidence = models.JSONField(default=list)  # indices of the chunks linked to a claim

    class Meta:
        constraints = [models.UniqueConstraint(fields=["label", "metric", "kind", "index"], name="one_verdict_a_unit")]

    def __str__(self) -> str:
        return f"{self.kind} {self.index}: {self.verdict}"


class RulingReason(models.TextChoices):
    GUIDELINE_GAP = "guideline_gap", _("guideline gap")
    SLIP = "slip", _("slip")
    AMBIGUOUS = "ambiguous", _("truly ambiguous")


class Ruling(models.Model):
    """An adjudicator's word on an undecided case. Append-only; the newest counts, the labels stay as they are."""

    case = models.ForeignKey(Case, on_delete=models.CASCADE, related_name="rulings")
    metric = models.CharField(max_length=60)
    verdict = models.CharField(max_length=14, choices=VerdictWord.choices)
    reason = models.CharField(max_length=20, blank=True, default="", choices=RulingReason.choices)
    note = models.TextField(blank=True, default="")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True)
    judge_prompted = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.case} {self.metric}: {self.verdict}"
