"""A sample given out: rounds, seats, slots with their leases, and what is not yet a label."""

from __future__ import annotations

from datetime import datetime

from django.db import models
from django.db.models import Exists, OuterRef, Q
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from cases.models import Case, Membership, Project, Role, SampleItem, User
from labeling.models.questions import Annotator, QuestionSet


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
    question_set = models.ForeignKey(QuestionSet, on_delete=models.RESTRICT, related_name="rounds")
    name = models.CharField(max_length=160)  # a sample's name, and " 2" behind it
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

    def waiting(self, now: datetime) -> SlotQuerySet:
        """Without a label and on nobody's desk."""
        return self.filter(Q(state=SlotState.FREE) | Q(state=SlotState.LEASED, lease_expires_at__lt=now))


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


class SkipQuerySet(models.QuerySet["Skip"]):
    def of_case(self, slot: Slot, annotator: Annotator) -> SkipQuerySet:
        return self.filter(annotator=annotator, slot__round=slot.round_id, slot__case=slot.case_id)

    def waiting(self, now: datetime) -> SkipQuerySet:
        """Those whose case still wants a label that nobody is giving."""
        places = Slot.objects.waiting(now).filter(round=OuterRef("slot__round"), case=OuterRef("slot__case"))
        return self.filter(Exists(places))


class Skip(models.Model):
    """Why an annotator passed a case on. While the row is there they are not offered it; the log keeps the rest."""

    slot = models.ForeignKey(Slot, on_delete=models.CASCADE, related_name="skips")
    annotator = models.ForeignKey(Annotator, on_delete=models.CASCADE, related_name="skips")
    reason = models.CharField(max_length=20)
    at = models.DateTimeField(auto_now_add=True)

    objects = SkipQuerySet.as_manager()

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
