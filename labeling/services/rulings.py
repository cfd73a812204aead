"""Adjudication: which cases people left undecided, and the word of the one who rules."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import transaction
from django.db.models import QuerySet

from cases.models import Case, User
from cases.services import audit
from labeling.models import Question, Round, Ruling, RulingReason, Slot, VerdictWord
from labeling.rules import HumanVerdict, Rule, parse_rule
from labeling.services.blindness import cases_to_stay_blind_about
from labeling.services.errors import LabelingError
from labeling.services.reading import round_label_rows, rulings, verdicts_by_case


@dataclass(frozen=True, slots=True)
class OpenCase:
    """A case that people left undecided under one question, or whose ruling may still be changed."""

    case: Case
    question: Question
    verdict: HumanVerdict

    @property
    def key(self) -> str:
        return f"{self.case.pk}-{self.question.key}"


def rule_for(question: Question, rule: Rule) -> Rule:
    """The round's rule for this question: a rule for grades reads only questions that ask for them."""
    if rule.cut is None or question.grades:
        return rule
    return Rule("majority" if rule.name == "median" else rule.name)


@dataclass(frozen=True, slots=True)
class Adjudication:
    """What one person may rule on in a round, all questions of a case one after the other, in the round's order."""

    undecided: list[OpenCase]
    ruled: list[OpenCase]
    n_hidden: int  # cases of the round about which this person must stay blind: nothing of them is read

    @property
    def n_cases(self) -> int:
        return len({each.case.pk for each in self.undecided})

    def after(self, item: OpenCase) -> OpenCase | None:
        """The next one to rule on: the same case's other questions first, then what follows, then what was left."""
        rest = [each for each in self.undecided if each.key != item.key]
        keys = [each.key for each in self.undecided]
        at = keys.index(item.key) if item.key in keys else -1
        return min(rest, key=lambda each: (each.case != item.case, keys.index(each.key) < at), default=None)


def adjudication(round_: Round, user: User) -> Adjudication:
    """The cases with all wanted labels, those the rule leaves undecided and those ruled on."""
    everything = Case.objects.filter(pk__in=Slot.objects.filter(round=round_).values("case"))
    hidden = cases_to_stay_blind_about(user, everything)
    found = _complete(round_, everything.exclude(pk__in=hidden.values("pk")))
    return Adjudication(
        undecided=[each for each in found if each.verdict.is_undecided and not each.verdict.is_adjudicated],
        ruled=[each for each in found if each.verdict.is_adjudicated],
        n_hidden=hidden.count(),
    )


def _complete(round_: Round, cases: QuerySet[Case]) -> list[OpenCase]:
    if round_.is_training:  # a ruling counts wherever the case is calibrated on; training never does
        return []
    questions = list(round_.question_set.questions.all())
    verdicts = {each.key: _verdicts(round_, each, cases) for each in questions}
    slots = Slot.objects.filter(round=round_, place=1, case__in=cases).select_related("case").order_by("position")
    return [
        OpenCase(slot.case, question, verdicts[question.key][slot.case_id])
        for slot in slots
        for question in questions
        if slot.case_id in verdicts[question.key] and verdicts[question.key][slot.case_id].n_labels >= round_.overlap
    ]


def _verdicts(round_: Round, question: Question, cases: QuerySet[Case]) -> dict[int, HumanVerdict]:
    rows = round_label_rows(round_, question.key, cases)
    ruled = rulings(cases, question.key, with_judge_prompted=True)
    return verdicts_by_case(rule_for(question, parse_rule(round_.rule)), rows, ruled)


@transaction.atomic
def rule_on(
    *,
    case: Case,
    metric: str,
    verdict: str,
    user: User,
    reason: str = "",
    note: str = "",
    judge_prompted: bool = False,
) -> Ruling:
    """Append the adjudicator's word; the labels stay as they are. The same word again changes nothing."""
    if verdict not in VerdictWord.values:
        raise LabelingError(f"{verdict!r} is no verdict; there are {', '.join(VerdictWord.values)}")
    if reason and reason not in RulingReason.values:
        raise LabelingError(f"{reason!r} is no reason; there are {', '.join(RulingReason.values)}")
    said = {"verdict": verdict, "reason": reason, "note": note.strip(), "judge_prompted": judge_prompted}
    newest = Ruling.objects.filter(case=case, metric=metric).order_by("-pk").first()
    if newest is not None and newest.user_id == user.pk and all(getattr(newest, k) == v for k, v in said.items()):
        return newest
    ruling = Ruling.objects.create(case=case, metric=metric, user=user, **said)
    audit(case.dataset.project, user, "rule on case", case, metric=metric, verdict=verdict, reason=reason)
    return ruling
