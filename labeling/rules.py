"""From what several people said to one human verdict, by the rule the round stored. Plain Python."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, cast

RuleName = Literal["majority", "strictest", "median", "soft"]
_RULE = re.compile(r"(majority|strictest|median|soft)(?:>=([-+]?\d+(?:\.\d+)?))?")


class RuleError(ValueError):
    """A rule that is none, or that cannot read these labels."""


HIGHEST_GRADE = 1e6


@dataclass(frozen=True, slots=True)
class Rule:
    """``name``, and for grades the ``cut`` from which a grade passes."""

    name: RuleName
    cut: float | None = None

    def __str__(self) -> str:
        return self.name if self.cut is None else f"{self.name}>={self.cut:g}"


@dataclass(frozen=True, slots=True)
class Answer:
    """One person's current word, or grade, or both, on one question."""

    verdict: str = ""
    grade: float | None = None

    @property
    def abstains(self) -> bool:
        return self.verdict in {"unsure", "not_applicable"}


@dataclass(frozen=True, slots=True)
class HumanVerdict:
    """What people say of a case: 1.0 pass, 0.0 fail, a fraction under ``soft``, None when they do not say.

    ``blind`` is "yes" when every label behind it was given blind, else "unknown"; "" when nobody asked.
    """

    human_pass: float | None
    is_undecided: bool = False
    is_adjudicated: bool = False
    is_not_applicable: bool = False
    n_labels: int = 0
    n_votes: int = 0
    blind: str = ""


def parse_rule(text: str) -> Rule:
    """Read ``majority``, ``strictest``, ``soft``, ``median>=3`` or ``strictest>=3``.

    >>> parse_rule("median >= 3")
    Rule(name='median', cut=3.0)
    """
    found = _RULE.fullmatch("".join(text.split()).lower())
    if not found:
        raise RuleError(f"{text!r} is no rule. The rules are majority, strictest, soft, median>=3, strictest>=3.")
    name, cut = found.groups()
    if name == "median" and cut is None:
        raise RuleError("the rule 'median' needs the grade that passes, such as median>=3")
    return Rule(cast(RuleName, name), None if cut is None else float(cut))


def human_verdict(rule: Rule, answers: Sequence[Answer], ruling: str = "") -> HumanVerdict:
    """The verdict on one case: the ruling if there is one, else by the rule over those who do not abstain.

    A tie, or an even number of grades whose middle two lie astride the cut, is undecided.

    >>> human_verdict(Rule("majority"), [Answer("pass"), Answer("fail"), Answer("fail"), Answer("unsure")]).human_pass
    0.0
    >>> human_verdict(Rule("median", 3.0), [Answer(grade=2), Answer(grade=4)]).is_undecided
    True
    """
    votes = [answer for answer in answers if not answer.abstains]
    if ruling:
        return _ruled(ruling, len(answers), len(votes))
    if not votes:
        inapplicable = bool(answers) and all(answer.verdict == "not_applicable" for answer in answers)
        undecided = bool(answers) and not inapplicable
        return HumanVerdict(None, undecided, is_not_applicable=inapplicable, n_labels=len(answers))
    share = _median(rule, votes) if rule.name == "median" else _by_votes(rule, votes)
    return HumanVerdict(share, is_undecided=share is None, n_labels=len(answers), n_votes=len(votes))


def _ruled(ruling: str, n_labels: int, n_votes: int) -> HumanVerdict:
    """A ruling "unsure" says that the case is truly ambiguous: it stays undecided."""
    return HumanVerdict(
        human_pass={"pass": 1.0, "fail": 0.0}.get(ruling),
        is_undecided=ruling == "unsure",
        is_adjudicated=True,
        is_not_applicable=ruling == "not_applicable",
        n_labels=n_labels,
        n_votes=n_votes,
    )


def _by_votes(rule: Rule, votes: Sequence[Answer]) -> float | None:
    passing = sum(_passes(rule, vote) for vote in votes)
    if rule.name == "soft":
        return passing / len(votes)
    if rule.name == "strictest":
        return float(passing == len(votes))
    return None if 2 * passing == len(votes) else float(2 * passing > len(votes))


def _median(rule: Rule, votes: Sequence[Answer]) -> float | None:
    """The middle grade against the cut. Of an even number, the middle two decide only when they agree."""
    passing = [passes for _, passes in sorted((_grade(rule, vote), _passes(rule, vote)) for vote in votes)]
    lower, upper = passing[(len(passing) - 1) // 2], passing[len(passing) // 2]
    return float(lower) if lower == upper else None


def _passes(rule: Rule, vote: Answer) -> bool:
    if rule.cut is not None:
        return _quantised(_grade(rule, vote)) >= _quantised(rule.cut)
    if vote.verdict not in {"pass", "fail"}:
        raise RuleError(
            f"the labels are grades ({vote.grade:g}), which '{rule}' cannot read; '--rule \"median>=3\"' can"
        )
    return vote.verdict == "pass"


def _grade(rule: Rule, vote: Answer) -> float:
    if vote.grade is None:
        raise RuleError(
            f"the labels are words ({vote.verdict}), not grades; '--rule majority' can read them, not '{rule}'"
        )
    if not abs(vote.grade) <= HIGHEST_GRADE:
        raise RuleError(f"the grade {vote.grade:g} is beyond any scale: the highest that is read is {HIGHEST_GRADE:g}")
    return vote.grade


def _quantised(value: float) -> int:
    # As scores are compared everywhere: (.7 + .7 + .7) / 3 must pass .7.
    return math.floor(value * 1e9 + 0.5)
