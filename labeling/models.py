"""What people said: question sets, rounds with slots, labels, rulings."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Exists, OuterRef, Q
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from cases.models import Case, Membership, Project, Role, SampleItem, User


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


class RoundState(models.TextChoices):
    OPEN = "open", _("open")
    PAUSED = "paused", _("paused")
    CLOSED = "closed", _("closed")


class Order(models.TextChoices):
    RANDOM = "random", _("random within strata")
    PRIORITY = "priority", _("by priority: not estimable until complete")


class RoundQuerySet(models.QuerySet["Round"]):
    def seating(self, user: User) -> RoundQuerySet:
        return self.filter(seats__annotator__user=user)

    def led_by(self, user: User) -> RoundQuerySet:
        return self.filter(project__in=Project.objects.led_by(user))

    def visible_to(self, user: User) -> RoundQuerySet:
        """Those the person leads, has a seat in, or may rule on."""
        seated = Q(pk__in=Seat.objects.filter(annotator__user=user).values("round"))
        led, ruled = self.model.objects.led_by(user), self.model.objects.adjudicable_by(user)
        return self.filter(seated | Q(pk__in=led.values("pk")) | Q(pk__in=ruled.values("pk")))

    def adjudicable_by(self, user: User) -> RoundQuerySet:
        """Those whose labels the person may see: lead or adjudicator, and without a seat or after the close."""
        rulers = Membership.objects.filter(user=user, role__in=[Role.LEAD, Role.ADJUDICATOR])
        mine = self if user.is_superuser else self.filter(project__in=rulers.values("project"))
        seated = Seat.objects.filter(annotator__user=user).values("round")
        return mine.filter(~Q(pk__in=seated) | Q(state=RoundState.CLOSED))


class Round(models.Model):
    """A sample given out for labeling: ``overlap`` labels a case, by the people who have a seat."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="rounds")
    sample = models.ForeignKey("cases.Sample", on_delete=models.CASCADE, related_name="rounds")
    question_set = models.ForeignKey(QuestionSet, on_delete=models.PROTECT, related_name="rounds")
    name = models.CharField(max_length=120)
    overlap = models.PositiveSmallIntegerField(default=1)
    rule = models.CharField(max_length=30, default="majority")
    seed = models.BigIntegerField(default=0)
    order = models.CharField(max_length=8, choices=Order.choices, default=Order.RANDOM)
    is_training = models.BooleanField(default=False)
    state = models.CharField(max_length=6, choices=RoundState.choices, default=RoundState.OPEN)
    opened_at = models.DateTimeField(auto_now_add=True)
    closed_at = models.DateTimeField(null=True)

    objects = RoundQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "name"], name="one_round_a_name"),
            models.CheckConstraint(condition=Q(overlap__gte=1), name="overlap_at_least_one"),
        ]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("labeling:round", args=[self.project.slug, self.pk])


class Seat(models.Model):
    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="seats")
    annotator = models.ForeignKey(Annotator, on_delete=models.CASCADE, related_name="seats")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["round", "annotator"], name="one_seat_a_person")]

    def __str__(self) -> str:
        return f"{self.annotator} in {self.round}"


class SlotState(models.TextChoices):
    FREE = "free", _("free")
    LEASED = "leased", _("leased")
    DONE = "done", _("done")


class SlotQuerySet(models.QuerySet["Slot"]):
    def visible_to(self, user: User) -> SlotQuerySet:
        """Slots once given to them, held or lapsed: nobody opens somebody else's."""
        return self.filter(pk__in=Lease.objects.filter(annotator__user=user).values("slot"))

    def takeable_by(self, annotator: Annotator) -> SlotQuerySet:
        """Without the cases they already hold, answered or passed on."""
        own = Slot.objects.filter(round=OuterRef("round"), case=OuterRef("case"), annotator=annotator)
        skipped = Skip.objects.filter(annotator=annotator, slot__round=OuterRef("round"), slot__case=OuterRef("case"))
        return self.filter(~Exists(own), ~Exists(skipped))


class Slot(models.Model):
    """The ``place``-th wanted label on a case of a round, leased to one annotator at a time."""

    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="slots")
    item = models.ForeignKey(SampleItem, on_delete=models.CASCADE, related_name="slots")
    case = models.ForeignKey(Case, on_delete=models.CASCADE, related_name="slots")
    place = models.PositiveSmallIntegerField()
    position = models.PositiveIntegerField()
    state = models.CharField(max_length=6, choices=SlotState.choices, default=SlotState.FREE)
    annotator = models.ForeignKey(Annotator, on_delete=models.CASCADE, null=True, related_name="slots")
    lease_expires_at = models.DateTimeField(null=True)
    lease_token = models.UUIDField(null=True)
    is_begun = models.BooleanField(default=False)  # somebody has been given a place on this case

    objects = SlotQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["round", "item", "place"], name="one_slot_a_place"),
            models.UniqueConstraint(
                fields=["round", "case", "annotator"],
                condition=Q(annotator__isnull=False),
                name="nobody_gets_a_case_twice",
            ),
        ]
        indexes = [models.Index(fields=["round", "state", "-is_begun", "position", "place"], name="slot_queue")]
        ordering = ["position", "place"]

    def __str__(self) -> str:
        return f"{self.round}: {self.case} #{self.place}"

    def get_absolute_url(self) -> str:
        return reverse("labeling:case", args=[self.round.project.slug, self.pk])

    def is_held_by(self, annotator: Annotator) -> bool:
        """Theirs by lease or by label; a lapsed lease holds until somebody else takes the place."""
        return self.annotator_id == annotator.pk


class Lease(models.Model):
    """That a slot was given to an annotator. Append-only: a late label is known by its token."""

    slot = models.ForeignKey(Slot, on_delete=models.CASCADE, related_name="leases")
    annotator = models.ForeignKey(Annotator, on_delete=models.CASCADE, related_name="leases")
    token = models.UUIDField(unique=True)
    given_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"{self.slot} given to {self.annotator}"


class Skip(models.Model):
    """Why an annotator passed a case on; they are not offered it again."""

    slot = models.ForeignKey(Slot, on_delete=models.CASCADE, related_name="skips")
    annotator = models.ForeignKey(Annotator, on_delete=models.CASCADE, related_name="skips")
    reason = models.CharField(max_length=20)
    at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"{self.annotator} skipped {self.slot}: {self.reason}"


class Flag(models.Model):
    """An annotator's mark for the lead: somebody should look at this case."""

    slot = models.ForeignKey(Slot, on_delete=models.CASCADE, related_name="flags")
    annotator = models.ForeignKey(Annotator, on_delete=models.CASCADE, related_name="flags")
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["slot", "annotator"], name="one_flag_a_person")]

    def __str__(self) -> str:
        return f"{self.annotator} flagged {self.slot}"


class Draft(models.Model):
    """What an annotator has chosen but not submitted: it survives the session, and the loss of the lease.

    Once the expected answer is open, ``locked`` holds what was answered before: it stays.
    """

    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="drafts")
    case = models.ForeignKey(Case, on_delete=models.CASCADE, related_name="drafts")
    annotator = models.ForeignKey(Annotator, on_delete=models.CASCADE, related_name="drafts")
    content = models.JSONField(default=dict)
    is_opened = models.BooleanField(default=False)
    locked = models.JSONField(default=dict)
    saved_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["round", "case", "annotator"], name="one_draft_a_case")]

    def __str__(self) -> str:
        return f"draft of {self.annotator} on {self.case}"


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
    question_set = models.ForeignKey(QuestionSet, on_delete=models.PROTECT, null=True, related_name="labels")
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
