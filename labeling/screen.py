"""What the labeling screen shows of one case to one annotator: nothing of a judge, of others, of the stratum."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from cases.models import DatasetRow
from cases.services import ensure_units
from labeling.models import Annotator, Label, Question, Slot
from labeling.services import (
    asked_questions,
    draft_of,
    form_content,
    latest_revision,
    lease_token,
    own_labels,
    own_progress,
    skip_of,
)
from labeling.words import UNIT_WORDS, FailureMode, SkipReason

_UNIT_KEYS = {"claim": "qwe", "chunk": "asd", "expected": "qwe"}
_UNIT_ICONS = {
    "supported": "pass",
    "contradicted": "fail",
    "absent": "absent",
    "covered": "pass",
    "missing": "fail",
    "relevant": "pass",
    "irrelevant": "fail",
    "partly": "partly",
}
UNIT_LETTERS = {"claim": "C", "expected": "E", "chunk": "R"}


@dataclass(frozen=True, slots=True)
class Choice:
    """One radio button: its value, word, icon, key, tone (pass, fail, unsure) and whether it is chosen."""

    value: str
    word: str
    icon: str
    key: str
    tone: str
    is_chosen: bool


@dataclass(frozen=True, slots=True)
class Row:
    """One question in the verdict bar."""

    question: Question
    title: str
    guideline: str
    name: str
    choices: list[Choice]
    grade_name: str
    grades: list[tuple[str, bool]]
    is_locked: bool
    is_waiting: bool  # until the expected answer is open


@dataclass(frozen=True, slots=True)
class UnitControl:
    metric: str
    title: str
    name: str
    choices: list[Choice]


@dataclass(frozen=True, slots=True)
class Unit:
    """One claim, statement or chunk, with a control for each question that asks about its kind."""

    number: str
    text: str
    source: str = ""
    controls: list[UnitControl] = field(default_factory=list)


def case_screen(slot: Slot, annotator: Annotator, typed: Mapping[str, str] | None = None) -> dict[str, Any]:
    """The template's context. ``typed`` is what a refused form held: it is shown again, nothing is lost."""
    row, questions = slot.item.row, asked_questions(slot)
    draft = draft_of(slot, annotator)
    label = own_labels(slot, annotator).current().first()
    values = _values(typed, draft.content if draft else {}, label)
    is_open = bool(draft and draft.is_opened)
    locked = draft.locked if draft and is_open else {}
    units = ensure_units(row)
    return {
        "slot": slot,
        "round": slot.round,
        "row": row,
        "case": row.case,
        "history": list(_turns(row.case.history)),
        "rows": [_row(question, values, locked, is_open) for question in questions],
        "claims": _units("claim", units, questions, values),
        "chunks": _units("chunk", units, questions, values, _sources(row)),
        "statements": _units("expected", units, questions, values) if is_open else [],
        "has_expected": bool((row.case.expected_output or "").strip()),
        "is_open": is_open,
        "critique": values.get("critique", ""),
        "failure_modes": [(mode.value, mode.label, values.get("failure_mode") == mode) for mode in FailureMode],
        "skip_reasons": SkipReason.choices,
        "is_flagged": slot.flags.filter(annotator=annotator).exists(),
        "label": label,
        "based_on": latest_revision(slot, annotator),
        "client_id": uuid.uuid4(),
        "lease_token": lease_token(slot, annotator),
        "skipped": skip_reason(slot, annotator),
        "is_lost": not slot.is_held_by(annotator),
        "progress": own_progress(slot.round, annotator),
        "annotator": annotator,
    }


def skip_reason(slot: Slot, annotator: Annotator) -> str:
    """Why the annotator passed this very case on; empty when they did not."""
    skip = skip_of(slot, annotator)
    return str(SkipReason(skip.reason).label) if skip else ""


def _values(typed: Mapping[str, str] | None, draft: Mapping[str, str], label: Label | None) -> Mapping[str, str]:
    if typed is not None:
        return typed
    return draft or (form_content(label) if label else {})


def _row(question: Question, values: Mapping[str, str], locked: Mapping[str, str], is_open: bool) -> Row:
    name = f"v-{question.key}"
    chosen = locked.get(question.key) or values.get(name, "")
    grade = values.get(f"g-{question.key}", "")
    return Row(
        question=question,
        title=_(question.title),
        guideline=_(question.guideline) if question.guideline else "",
        name=name,
        choices=[Choice(value, word, value, key, value, value == chosen) for value, word, key in verdict_words()],
        grade_name=f"g-{question.key}",
        grades=[(f"{each:g}", f"{each:g}" == grade) for each in question.grades],
        is_locked=question.key in locked,
        is_waiting=question.needs_expected and not is_open,
    )


def verdict_words() -> list[tuple[str, str, str]]:
    """Each verdict's value, word on the button, and key."""
    return [
        ("pass", pgettext("button", "Pass"), "1"),
        ("fail", pgettext("button", "Fail"), "2"),
        ("unsure", pgettext("button", "Unsure"), "3"),
        ("not_applicable", pgettext("button", "N/A"), "0"),
    ]


def _units(
    kind: str,
    unit_sets: Mapping[str, Any],
    questions: Sequence[Question],
    values: Mapping[str, str],
    sources: Sequence[str] = (),
) -> list[Unit]:
    if kind not in unit_sets:
        return []
    asking = [question for question in questions if question.unit_kind == kind]
    return [
        Unit(
            number=f"{UNIT_LETTERS[kind]}{index + 1}",
            text=text,
            source=sources[index] if index < len(sources) else "",
            controls=[_control(question, kind, index, values) for question in asking],
        )
        for index, text in enumerate(unit_sets[kind].texts)
    ]


def _control(question: Question, kind: str, index: int, values: Mapping[str, str]) -> UnitControl:
    name = f"u-{question.key}-{kind}-{index}"
    choices = [
        Choice(value, str(word), _UNIT_ICONS[value], key, tone, values.get(name) == value)
        for (value, word), key, tone in zip(
            UNIT_WORDS[kind].items(), _UNIT_KEYS[kind], ("pass", "fail", "unsure"), strict=True
        )
    ]
    return UnitControl(question.key, _(question.title), name, choices)


def _sources(row: DatasetRow) -> list[str]:
    """Titles of the chunks, where the import kept them; similarity scores stay hidden."""
    names = ("chunk_sources", "context_titles", "sources")
    titles = next((row.metadata[name] for name in names if row.metadata.get(name)), None)
    return [str(title) for title in titles] if isinstance(titles, list) else []


def _turns(history: Sequence[Any]) -> Any:
    """Earlier turns of the conversation as (who, what)."""
    for turn in history:
        if isinstance(turn, Mapping):
            who = turn.get("role") or turn.get("speaker") or ""
            yield str(who), str(turn.get("content") or turn.get("text") or "")
        else:
            yield "", str(turn)
