"""Adjudication: which cases people left undecided, and the word of the one who rules."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import transaction

from cases.models import Case, User
from cases.services import audit
from labeling.models import Question, Round, Ruling, RulingReason, Slot, VerdictWord
from labeling.rules import HumanVerdict, Rule, parse_rule
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


def undecided_cases(round_: Round) -> list[OpenCase]:
    """Cases with all wanted labels that the rule leaves undecided, by question, in the round's order."""
    return [each for each in _complete(round_) if each.verdict.is_undecided and not each.verdict.is_adjudicated]


def ruled_cases(round_: Round) -> list[OpenCase]:
    return [each for each in _complete(round_) if each.verdict.is_adjudicated]


def _complete(round_: Round) -> list[OpenCase]:
    if round_.is_training:  # a ruling counts wherever the case is calibrated on; training never does
        return []
    slots = Slot.objects.filter(round=round_, place=1).select_related("case").order_by("position")
    cases = {slot.case_id: slot.case for slot in slots}
    found = []
    for question in round_.question_set.questions.all():
        rows = round_label_rows(round_, question.key)
        ruled = rulings(Case.objects.filter(slots__round=round_), question.key, with_judge_prompted=True)
        verdicts = verdicts_by_case(rule_for(question, parse_rule(round_.rule)), rows, ruled)
        found += [
            OpenCase(case, question, verdicts[pk])
            for pk, case in cases.items()
            if pk in verdicts and verdicts[pk].n_labels >= round_.overlap
        ]
    return found


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
