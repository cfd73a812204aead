"""Whether a calibration can be relied on: trusted, inconclusive or untrusted, and what speaks against it."""

from __future__ import annotations

from typing import Literal

from calibration.statistics import sentences as say
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
        doubts.append(say.tell(say.NO_CERTIFICATE, missing="; ".join(certificate.missing)))
    return ("inconclusive" if doubts else "trusted"), doubts


def _against(cases: Usable, choice: Recommendation) -> list[str]:
    against = [] if choice.threshold is not None else [choice.reason]
    if cases.judge_prompted:
        against.append(say.counted(say.PROMPTED, cases.judge_prompted))
    return against


def _sample_doubts(cases: Usable) -> list[str]:
    doubts = []
    for few, count in ((say.FEW_FAILS, float((1 - cases.human).sum())), (say.FEW_PASSES, float(cases.human.sum()))):
        if count < MIN_OF_EACH_VERDICT:
            doubts.append(say.counted(few, count, least=MIN_OF_EACH_VERDICT))
    if cases.design.group is not None and cases.design.groups < MIN_GROUPS:
        doubts.append(say.counted(say.FEW_CONVERSATIONS, cases.design.groups, least=MIN_GROUPS))
    if cases.scored_share is not None and cases.scored_share < MIN_SCORED_SHARE:
        share, least = f"{100 * cases.scored_share:.1f} %", f"{100 * MIN_SCORED_SHARE:g} %"
        doubts.append(say.tell(say.FEW_SCORED, share=share, least=least))
    return doubts


def _label_doubts(cases: Usable) -> list[str]:
    return [] if cases.blind <= {"yes"} else [say.BLINDNESS_UNKNOWN]


def _nested_doubts(nested: Nested) -> list[str]:
    if nested.reason:
        return [say.tell(say.NOT_NESTED, reason=nested.reason)]
    if nested.beats_both_ends is None:
        return [say.TOO_FEW_TO_TELL]
    if not nested.beats_both_ends:
        return [say.BEATS_NO_END]
    return []
