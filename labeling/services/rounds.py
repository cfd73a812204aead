"""Rounds: a sample given out for labeling, and who has a seat in it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext

from cases.given import SEEDS
from cases.models import Project, Sample, SampleItem, User
from cases.services import audit, free_name, valid_name
from labeling.allocation import by_priority, random_within_strata
from labeling.models import Annotator, Order, QuestionSet, Round, RoundState, Seat, Slot
from labeling.rules import parse_rule
from labeling.services.errors import LabelingError
from labeling.services.imports import annotator_name

T = TypeVar("T")


def annotator_for(project: Project, user: User) -> Annotator:
    """The person as an annotator of the project: whoever has their name and no account yet is they."""
    if known := project.annotators.filter(user=user).first():
        return known
    name = annotator_name(user.username)
    annotator, _ = Annotator.objects.get_or_create(project=project, name=name, defaults={"user": user})
    if annotator.user_id is None:
        annotator.user = user
        annotator.save(update_fields=["user"])
    if annotator.user_id != user.pk:
        raise LabelingError(f"the annotator {user.username!r} is already somebody else")
    return annotator


@transaction.atomic
def open_round(
    *,
    project: Project,
    sample: Sample,
    question_set: QuestionSet,
    annotators: Sequence[Annotator],
    overlap: int = 1,
    name: str = "",
    rule: str = "majority",
    seed: int = 0,
    order: str = Order.RANDOM,
    strata: Sequence[str] | None = None,
    priority: Sequence[float] | None = None,
    is_training: bool = False,
    user: User | None = None,
) -> Round:
    """Give the cases of a sample out, ``overlap`` places each, to the annotators who get a seat.

    ``strata`` and ``priority`` have one entry for each item of the sample, in its order; this app never learns
    what they were made of. Goldens have no answer yet and get no place.
    """
    seats = list(dict.fromkeys(annotators))
    _check(seats, overlap, order, priority, seed)
    _check_rule(rule, question_set)
    round_ = _create(
        project=project,
        sample=sample,
        question_set=question_set,
        name=valid_name(name, LabelingError) if name.strip() else _free_name(project, sample),
        overlap=overlap,
        rule=str(parse_rule(rule)),
        seed=seed,
        order=order,
        is_training=is_training,
    )
    Seat.objects.bulk_create(Seat(round=round_, annotator=annotator) for annotator in seats)
    given = _give_out(round_, strata, priority)
    names = [annotator.name for annotator in seats]
    audit(project, user, "open round", round_, annotators=names, cases=given, overlap=overlap, rule=round_.rule)
    return round_


def _check(seats: list[Annotator], overlap: int, order: str, priority: Sequence[float] | None, seed: int) -> None:
    if not seats:
        raise LabelingError(gettext("a round needs at least one annotator"))
    if not 1 <= overlap <= len(seats):
        few = gettext(
            "%(wanted)s labels a case need %(wanted)s annotators, and %(seats)s have a seat: nobody gets a case twice"
        )
        raise LabelingError(few % {"wanted": overlap, "seats": len(seats)})
    if order == Order.PRIORITY and priority is None:
        raise LabelingError("an order by priority needs the priorities")
    if not SEEDS[0] <= seed <= SEEDS[1]:
        raise LabelingError(f"a seed is a whole number from {SEEDS[0]} to {SEEDS[1]}")


def _check_rule(rule: str, question_set: QuestionSet) -> None:
    if parse_rule(rule).cut is not None and not any(each.grades for each in question_set.questions.all()):
        unread = gettext("the rule '%(rule)s' reads grades, and %(questions)s asks for none; majority would do")
        raise LabelingError(unread % {"rule": rule, "questions": question_set})


def _create(**fields: object) -> Round:
    try:
        with transaction.atomic():
            return Round.objects.create(**fields)
    except IntegrityError:
        taken = gettext("there is already a round '%(name)s'; choose another name") % {"name": fields["name"]}
        raise LabelingError(taken) from None


def _free_name(project: Project, sample: Sample) -> str:
    taken = set(project.rounds.filter(name__startswith=sample.name).values_list("name", flat=True))
    return free_name(sample.name, taken)


def _give_out(round_: Round, strata: Sequence[str] | None, priority: Sequence[float] | None) -> int:
    """Make the slots; how many cases got one."""
    items = list(
        SampleItem.objects.filter(sample=round_.sample).order_by("position").values_list("pk", "row__case", "stratum")
    )
    if round_.order == Order.PRIORITY:
        order = by_priority(_aligned(priority or (), items))
    else:
        order = random_within_strata(_aligned(strata or [each[2] for each in items], items), seed=round_.seed)
    goldens = set(
        SampleItem.objects.filter(sample=round_.sample, row__case__actual_output=None).values_list("pk", flat=True)
    )
    ordered = [items[index] for index in order if items[index][0] not in goldens]
    if not ordered:
        raise LabelingError(
            gettext("the sample %(name)s has no case with an answer to label") % {"name": round_.sample}
        )
    Slot.objects.bulk_create(
        [
            Slot(round=round_, item_id=item_id, case_id=case_id, place=place, position=position)
            for position, (item_id, case_id, _) in enumerate(ordered)
            for place in range(1, round_.overlap + 1)
        ],
        batch_size=1000,
    )
    return len(ordered)


def _aligned(values: Sequence[T], items: Sequence[object]) -> Sequence[T]:
    if len(values) != len(items):
        raise LabelingError(f"{len(values)} values for the {len(items)} items of the sample")
    return values


def pause_round(round_: Round, user: User | None) -> None:
    """Give out nothing new; what is on a screen can be finished."""
    _set_state(round_, RoundState.PAUSED, user, "pause round")


def close_round(round_: Round, user: User | None) -> None:
    """Take no more labels; from here on, those with a seat may see what others said."""
    _set_state(round_, RoundState.CLOSED, user, "close round")


def reopen_round(round_: Round, user: User | None) -> None:
    """Take labels again. ``closed_at`` stays: labels given from now on are no longer known to be blind."""
    _set_state(round_, RoundState.OPEN, user, "reopen round")


@transaction.atomic
def _set_state(round_: Round, state: str, user: User | None, action: str) -> None:
    if round_.state == state:
        return
    round_.state = state
    if state == RoundState.CLOSED:
        round_.closed_at = timezone.now()
    round_.save(update_fields=["state", "closed_at"])
    audit(round_.project, user, action, round_)
