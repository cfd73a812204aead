"""Whether a calibration can be relied on: trusted, inconclusive or untrusted, and what speaks against it."""

from __future__ import annotations

from typing import Literal

from calibration.statistics.certificate import Certificate
from calibration.statistics.costs import Recommendation
from calibration.statistics.crossval import Nested
from calibration.statistics.intervals import MIN_GROUPS
from calibration.statistics.usable import Usable

State = Literal["trusted", "inconclusive", "untrusted"]

MIN_OF_EACH_VERDICT = 20
MIN_SCORED_SHARE = 0.95


def state_of(
    cases: Usable, choice: Recommendation, nested: Nested, certificate: Certificate | None
) -> tuple[State, list[str]]:
    """The state, with the reasons that keep it from being trusted."""
    if against := _against(cases, choice):
        return "untrusted", against
    doubts = [*_sample_doubts(cases), *_label_doubts(cases), *_nested_doubts(nested)]
    if certificate is not None and not certificate.holds:
        doubts.append(f"The certificate asked for does not hold: it takes {'; '.join(certificate.missing)}.")
    return ("inconclusive" if doubts else "trusted"), doubts


def _against(cases: Usable, choice: Recommendation) -> list[str]:
    against = [] if choice.threshold is not None else [choice.reason]
    if cases.judge_prompted:
        against.append(f"{cases.judge_prompted} labels were ruled on because of what the judge said.")
    return against


def _sample_doubts(cases: Usable) -> list[str]:
    doubts = []
    for verdict, count in (("fail", float((1 - cases.human).sum())), ("pass", float(cases.human.sum()))):
        if count < MIN_OF_EACH_VERDICT:
            doubts.append(f"Only {count:g} cases that people {verdict}: at least {MIN_OF_EACH_VERDICT} are needed.")
    if cases.design.group is not None and cases.design.groups < MIN_GROUPS:
        doubts.append(f"Only {cases.design.groups} conversations: at least {MIN_GROUPS} are needed.")
    if cases.scored_share is not None and cases.scored_share < MIN_SCORED_SHARE:
        doubts.append(f"Only {cases.scored_share:.1%} of the cases are scored: at least 95 % are needed.")
    return doubts


def _label_doubts(cases: Usable) -> list[str]:
    if cases.blind <= {"yes"}:
        return []
    return ["Whether the labels are blind is unknown: they were imported. --labels-blind asserts it, on record."]


def _nested_doubts(nested: Nested) -> list[str]:
    if nested.reason:
        return [f"The cost of the choice on new cases is {nested.reason}."]
    if nested.beats_both_ends is None:
        return ["Too few independent cases to tell whether it beats passing all and passing none on new cases."]
    if not nested.beats_both_ends:
        return ["On cases left out it does not clearly beat both passing all and passing none."]
    return []
