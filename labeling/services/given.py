"""What an annotator hands in, and whether it answers the questions of the round."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from cases.services import ensure_units
from labeling.models import Annotator, Label, Question, Slot, UnitVerdict, Verdict, VerdictWord
from labeling.rules import parse_rule
from labeling.services.errors import LabelRefused
from labeling.services.slots import draft_of
from labeling.words import UNIT_WORDS, FailureMode

CRITIQUE_LENGTH = 4000


@dataclass(frozen=True, slots=True)
class GivenVerdict:
    """The answer to one question: a word, and a grade where the question declares a scale."""

    metric: str
    verdict: str = ""
    grade: float | None = None


@dataclass(frozen=True, slots=True)
class GivenUnitVerdict:
    """What is said of the ``index``-th unit of a kind; ``evidence`` are indices of chunks."""

    metric: str
    kind: str
    index: int
    verdict: str
    evidence: tuple[int, ...] = ()


def asked_questions(slot: Slot) -> list[Question]:
    """The questions of the round that can be asked of this case: some need an expected answer to look at."""
    has_expected = bool((slot.item.row.case.expected_output or "").strip())
    questions = slot.round.question_set.questions.all()
    return [question for question in questions if has_expected or not question.needs_expected]


def check_questions(slot: Slot, annotator: Annotator, verdicts: Sequence[GivenVerdict], critique: str) -> None:
    questions = {question.key: question for question in asked_questions(slot)}
    given = {verdict.metric: verdict for verdict in verdicts}
    if len(given) != len(verdicts):
        raise LabelRefused(_("A question is answered twice."))
    if unknown := sorted(set(given) - set(questions)):
        raise LabelRefused(_("This round does not ask about %(names)s.") % {"names": ", ".join(unknown)})
    if missing := [_(each.title) for key, each in questions.items() if key not in given]:
        raise LabelRefused(_("Not answered yet: %(names)s.") % {"names": ", ".join(missing)})
    for key, verdict in given.items():
        _check_verdict(questions[key], verdict, needs_word=parse_rule(slot.round.rule).cut is None)
    if len(critique) > CRITIQUE_LENGTH:
        raise LabelRefused(_("The critique is longer than %(count)s characters.") % {"count": CRITIQUE_LENGTH})
    draft = draft_of(slot, annotator)
    locked = draft.locked if draft and draft.is_opened else {}
    if changed := [key for key, word in locked.items() if key in given and given[key].verdict != word]:
        names = ", ".join(_(questions[key].title) for key in changed)
        raise LabelRefused(
            _("Answered before the expected answer was open, so it stays: %(names)s.") % {"names": names}
        )


def check_details(slot: Slot, unit_verdicts: Sequence[GivenUnitVerdict], failure_mode: str) -> None:
    """What is said beside the verdicts: of units that the questions ask about, and why the answer fails."""
    if failure_mode and failure_mode not in FailureMode.values:
        raise LabelRefused(f"{failure_mode!r} is no failure mode; there are {', '.join(FailureMode.values)}")
    asked = {(question.key, question.unit_kind) for question in asked_questions(slot) if question.unit_kind}
    units = {kind: len(each.texts) for kind, each in ensure_units(slot.item.row).items()} if unit_verdicts else {}
    if len({(each.metric, each.kind, each.index) for each in unit_verdicts}) != len(unit_verdicts):
        raise LabelRefused(_("A question is answered twice."))
    for each in unit_verdicts:
        if (each.metric, each.kind) not in asked:
            raise LabelRefused(f"this round does not ask {each.metric!r} of a {each.kind}")
        _check_unit(each, units)


def _check_unit(given: GivenUnitVerdict, units: Mapping[str, int]) -> None:
    if not 0 <= given.index < units.get(given.kind, 0):
        raise LabelRefused(f"there is no {given.kind} {given.index + 1} in this case")
    if given.verdict not in UNIT_WORDS[given.kind]:
        raise LabelRefused(f"{given.verdict!r} cannot be said of a {given.kind}")
    chunks = units.get("chunk", 0)
    if beyond := [each for each in given.evidence if not 0 <= each < chunks]:
        raise LabelRefused(f"evidence {beyond[0]} names no chunk: this case has {chunks}, counted from 0")
    if len(set(given.evidence)) != len(given.evidence):
        raise LabelRefused(f"evidence of {given.kind} {given.index + 1} names a chunk twice")


def _check_verdict(question: Question, verdict: GivenVerdict, *, needs_word: bool) -> None:
    if verdict.verdict and verdict.verdict not in VerdictWord.values:
        raise LabelRefused(f"{verdict.verdict!r} is no verdict; there are {', '.join(VerdictWord.values)}")
    if not verdict.verdict and (needs_word or verdict.grade is None):
        raise LabelRefused(_("Not answered yet: %(names)s.") % {"names": _(question.title)})
    if verdict.grade is not None and verdict.grade not in question.grades:
        raise LabelRefused(f"{verdict.grade:g} is not on the scale of {question.title}: {question.grades}")


def store_verdicts(
    label: Label, slot: Slot, verdicts: Sequence[GivenVerdict], unit_verdicts: Sequence[GivenUnitVerdict]
) -> None:
    Verdict.objects.bulk_create(_verdict_row(label, slot, given) for given in verdicts)
    if unit_verdicts:
        UnitVerdict.objects.bulk_create(_unit_rows(label, slot, unit_verdicts))


def _verdict_row(label: Label, slot: Slot, given: GivenVerdict) -> Verdict:
    grades = next(each.grades for each in asked_questions(slot) if each.key == given.metric)
    low, high = (min(grades), max(grades)) if grades and given.grade is not None else (None, None)
    return Verdict(
        label=label, metric=given.metric, verdict=given.verdict, grade=given.grade, scale_low=low, scale_high=high
    )


def _unit_rows(label: Label, slot: Slot, given: Sequence[GivenUnitVerdict]) -> list[UnitVerdict]:
    units = ensure_units(slot.item.row)
    return [
        UnitVerdict(
            label=label,
            metric=each.metric,
            kind=each.kind,
            unit_hash=units[each.kind].hash,
            index=each.index,
            verdict=each.verdict,
            evidence=list(each.evidence),
        )
        for each in given
    ]


def form_content(label: Label) -> dict[str, str]:
    """A label as the fields of its form: ``v-METRIC``, ``g-METRIC``, ``u-METRIC-KIND-INDEX`` ..."""
    content = {"critique": label.critique, "failure_mode": label.failure_mode}
    for verdict in label.verdicts.all():
        content[f"v-{verdict.metric}"] = verdict.verdict
        if verdict.grade is not None:
            content[f"g-{verdict.metric}"] = f"{verdict.grade:g}"
    for unit in label.unit_verdicts.all():
        content[f"u-{unit.metric}-{unit.kind}-{unit.index}"] = unit.verdict
    return content
