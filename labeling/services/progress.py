"""How far a round is: counts only. Figures with intervals belong to calibration."""

from __future__ import annotations

import statistics
from collections import defaultdict
from dataclasses import dataclass, field

from django.db.models import Count, Q, QuerySet
from django.utils import timezone

from cases.access import blind_cases
from cases.models import Case, User
from labeling.models import Annotator, Flag, Label, Round, Skip, Slot, SlotState, Verdict, VerdictWord


@dataclass(frozen=True, slots=True)
class Share:
    """``done`` of ``wanted`` labels; one's own share also counts what one skipped and still wants a label."""

    name: str
    done: int
    wanted: int
    skipped: int = 0


@dataclass(frozen=True, slots=True)
class PersonProgress:
    name: str
    done: int
    wanted: int
    skipped: int
    unsure: int
    answers: int
    median_seconds: float | None

    @property
    def unsure_share(self) -> float | None:
        return self.unsure / self.answers if self.answers else None


@dataclass(frozen=True, slots=True)
class RoundProgress:
    cases: int
    complete: int
    done: int
    wanted: int
    flagged: int
    people: list[PersonProgress] = field(default_factory=list)
    strata: list[Share] = field(default_factory=list)


def own_progress(round_: Round, annotator: Annotator) -> Share:
    """The annotator's labels, of their even share of the round's places."""
    done = Slot.objects.filter(round=round_, annotator=annotator, state=SlotState.DONE).count()
    skips = Skip.objects.waiting(timezone.now()).filter(slot__round=round_, annotator=annotator)
    skipped = skips.values("slot__case").distinct().count()
    return Share(annotator.name, done, max(done + skipped, wanted_each(round_)), skipped)


def wanted_each(round_: Round) -> int:
    """The even share of one person: the round's places divided by its seats, rounded up."""
    slots = Slot.objects.filter(round=round_, place__lte=round_.overlap).count()
    return -(-slots // max(1, round_.seats.count()))


def round_progress(round_: Round, viewer: User | None = None) -> RoundProgress:
    """The lead's view, in a constant number of queries.

    Strata may be bands of a judge's scores: they are left out for a viewer who is to stay blind about the cases.
    """
    slots = Slot.objects.filter(round=round_)
    strata = _strata(slots)
    done_by_case = slots.filter(state=SlotState.DONE).values("case").annotate(n=Count("pk"))
    return RoundProgress(
        cases=slots.filter(place=1).count(),
        complete=sum(each["n"] >= round_.overlap for each in done_by_case),
        done=sum(each.done for each in strata),
        wanted=sum(each.wanted for each in strata),
        flagged=Flag.objects.filter(slot__round=round_).values("slot__case").distinct().count(),
        people=_people(round_),
        strata=[] if viewer is not None and _is_blind(viewer, slots) else strata,
    )


def _is_blind(viewer: User, slots: QuerySet[Slot]) -> bool:
    return blind_cases(viewer, Case.objects.filter(pk__in=slots.values("case"))).exists()


def _strata(slots: QuerySet[Slot]) -> list[Share]:
    counted = slots.values("item__stratum").annotate(n=Count("pk"), n_done=Count("pk", filter=Q(state=SlotState.DONE)))
    return [Share(each["item__stratum"], each["n_done"], each["n"]) for each in counted.order_by("item__stratum")]


def _people(round_: Round) -> list[PersonProgress]:
    labels = Label.objects.current().filter(slot__round=round_)
    seconds: defaultdict[int, list[float]] = defaultdict(list)
    done: defaultdict[int, int] = defaultdict(int)
    for annotator_id, each in labels.values_list("annotator", "seconds"):
        done[annotator_id] += 1
        if each is not None:
            seconds[annotator_id].append(each)
    words = Verdict.objects.filter(label__in=labels).values("label__annotator")
    unsure = Count("pk", filter=Q(verdict=VerdictWord.UNSURE))
    counted = words.annotate(n=Count("pk"), n_unsure=unsure)
    answers = {each["label__annotator"]: (each["n"], each["n_unsure"]) for each in counted}
    skips = Skip.objects.filter(slot__round=round_).values("annotator").annotate(n=Count("slot__case", distinct=True))
    skipped = {each["annotator"]: each["n"] for each in skips}
    wanted = wanted_each(round_)
    return [
        PersonProgress(
            name=seat.annotator.name,
            done=done[seat.annotator_id],
            wanted=wanted,
            skipped=skipped.get(seat.annotator_id, 0),
            unsure=answers.get(seat.annotator_id, (0, 0))[1],
            answers=answers.get(seat.annotator_id, (0, 0))[0],
            median_seconds=statistics.median(seconds[seat.annotator_id]) if seconds[seat.annotator_id] else None,
        )
        for seat in round_.seats.select_related("annotator").order_by("annotator__name")
    ]
