"""The rounds a person may see, with their counts."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count, Q
from django.utils import timezone

from cases.models import Project, User
from labeling.models import Round, Skip, Slot, SlotState


@dataclass(frozen=True, slots=True)
class ListedRound:
    """A round in the list: the whole for its lead, one's own part for who has a seat."""

    round: Round
    done: int
    wanted: int
    own_done: int
    own_wanted: int
    own_skipped: int
    is_seated: bool
    is_led: bool


def listed_rounds(project: Project, user: User) -> list[ListedRound]:
    """In a constant number of queries, however many rounds there are."""
    found = Round.objects.filter(project=project).visible_to(user).select_related("sample", "project").order_by("-pk")
    led = set(found.led_by(user).values_list("pk", flat=True))
    seated = dict(found.seating(user).values_list("pk", "seats__annotator"))
    seats = dict(found.values_list("pk").annotate(n=Count("seats", distinct=True)))
    counts = Slot.objects.filter(round__in=found.values("pk")).values("round").order_by()
    mine = Q(annotator__user=user, state=SlotState.DONE)
    by_round = {
        each["round"]: each
        for each in counts.annotate(
            n=Count("pk"), n_done=Count("pk", filter=Q(state=SlotState.DONE)), n_mine=Count("pk", filter=mine)
        )
    }
    skips = Skip.objects.waiting(timezone.now()).filter(annotator__user=user)
    skipped = dict(skips.values_list("slot__round").annotate(n=Count("slot__case", distinct=True)).order_by())
    listed = []
    for each in found:
        count = by_round.get(each.pk, {"n": 0, "n_done": 0, "n_mine": 0})
        share = -(-count["n"] // max(1, seats[each.pk]))
        listed.append(
            ListedRound(
                round=each,
                done=count["n_done"],
                wanted=count["n"],
                own_done=count["n_mine"],
                own_wanted=max(share, count["n_mine"] + skipped.get(each.pk, 0)),
                own_skipped=skipped.get(each.pk, 0),
                is_seated=each.pk in seated,
                is_led=each.pk in led,
            )
        )
    return listed
