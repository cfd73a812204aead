"""Cells that say pass or fail, grades that a rule turns into a verdict, and the flag for what neither fits."""

from __future__ import annotations

import math
import shlex
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from calibration.tables.sheets import TableError, number
from cases.importers.words import KNOWN, plain_word
from labeling.rules import Answer, Rule, RuleError, human_verdict, parse_rule

PASS, FAIL, UNSURE, UNDECIDED, NOT_APPLICABLE = "pass", "fail", "unsure", "undecided", "not_applicable"
ABSTAINING = (UNSURE, NOT_APPLICABLE)

#: 1.0 / 0.0, a grade or a share; "unsure", "not_applicable" or "undecided"; None where nobody said anything.
Label = float | str | None

#: What an import reads, and a verdict that a table alone may hold.
WORDS: dict[str, str] = {**KNOWN, "undecided": UNDECIDED}

GOOD = {"good", "ok", "okay", "yes", "y", "correct", "right", "accept", "acceptable", "supported", "faithful", "up"}
GOOD |= {"tốt", "đúng", "có", "positive", "+", "✓", "thumbs up"}
BAD = {"bad", "no", "n", "wrong", "incorrect", "reject", "unacceptable", "unsupported", "unfaithful", "down"}
BAD |= {"xấu", "sai", "không", "negative", "-", "✗", "thumbs down", "kém", "poor"}


def read_rule(text: str | None) -> Rule:
    """The rule that ``--rule`` names; majority where none is."""
    try:
        return parse_rule(text if text is not None else "majority")
    except RuleError as error:
        raise TableError(f"--rule: {error}") from error


def settle(rule: Rule, labels: Sequence[Label]) -> dict[str, Any]:
    """The human verdict of one case as columns of the calibration table; the rule is labeling's."""
    if UNDECIDED in labels:
        return {"human_pass": math.nan, "undecided": True, "not_applicable": False}
    shares = [label for label in labels if isinstance(label, float)]
    if rule.name == "soft" and rule.cut is None and shares:
        return {"human_pass": math.fsum(shares) / len(shares), "undecided": False, "not_applicable": False}
    found = human_verdict(rule, [_answer(rule, label) for label in labels if label is not None])
    return {
        "human_pass": math.nan if found.human_pass is None else found.human_pass,
        "undecided": found.is_undecided,
        "not_applicable": found.is_not_applicable,
    }


def _answer(rule: Rule, label: float | str) -> Answer:
    if isinstance(label, str):
        return Answer(verdict=label)
    return Answer(grade=label) if rule.cut is not None else Answer(verdict=PASS if label else FAIL)


def word_key(text: str) -> str:
    """A word as it is looked up: as an import does, and signs such as - as they are."""
    word = plain_word(text)
    return word if word.strip() else text.strip()


def parse_words(words: Mapping[str, str] | str | None) -> dict[str, str]:
    """``good=pass,bad=fail`` as a mapping; the words on the right are ours."""
    pairs = words.items() if isinstance(words, Mapping) else _split(words or "")
    found = {word_key(word): WORDS.get(word_key(meaning), "") for word, meaning in pairs}
    if wrong := [word for word, meaning in found.items() if not meaning]:
        raise TableError(f"--words gives {', '.join(wrong)} no verdict: say pass, fail, unsure or undecided")
    return found


def _split(text: str) -> list[tuple[str, str]]:
    parts = [part.partition("=") for part in text.split(",") if part.strip()]
    return [(word, meaning) for word, _, meaning in parts]


def levels_of(texts: Iterable[str]) -> list[str]:
    """The distinct cells that say something, numbers in order."""
    found = {unicodedata.normalize("NFC", text) for text in texts if text}
    return sorted(found, key=lambda text: (number(text, ";") is None, number(text, ";") or 0.0, text))


def label_values(
    texts: Sequence[str], *, column: str, rule: Rule, words: Mapping[str, str] | None, delimiter: str
) -> list[Label]:
    """Each cell as a label; None where it is empty.

    Raises TableError that names the flag which reads the column, where it holds something else.
    """
    known = {**WORDS, **(words or {})}
    levels = levels_of(texts)
    grades = {level: number(level, delimiter) for level in levels if known.get(word_key(level)) not in ABSTAINING}
    spelled = _all_words(levels, words or {})
    if rule.cut is not None and spelled:
        raise TableError(f'column "{column}" holds verdicts, not grades: --rule majority or strictest reads them')
    if (rule.cut is not None or rule.name == "soft") and not spelled:
        return [_grade(text, grades, column, rule, known) for text in texts]
    unknown = [level for level in levels if word_key(level) not in known]
    if unknown:
        raise TableError(_advice(column, levels, grades, unknown))
    votes: dict[str, Label] = {PASS: 1.0, FAIL: 0.0}
    meanings = [known.get(word_key(text), "") for text in texts]
    return [votes.get(meaning, meaning) if meaning else None for meaning in meanings]


def _all_words(levels: list[str], words: Mapping[str, str]) -> bool:
    """Whether every level is a word: then a rule over grades has nothing to cut."""
    known = {**WORDS, **words}
    return bool(levels) and all(word_key(level) in known and number(level) is None for level in levels)


def _grade(text: str, grades: Mapping[str, float | None], column: str, rule: Rule, known: Mapping[str, str]) -> Label:
    meaning = known.get(word_key(text), "")
    if not text or meaning in (*ABSTAINING, UNDECIDED):
        return meaning or None
    grade = grades[unicodedata.normalize("NFC", text)]
    if grade is None and rule.cut is None and meaning in (PASS, FAIL):
        grade = float(meaning == PASS)
    if grade is None:
        raise TableError(f'column "{column}" holds "{text}", which is no grade for --rule "{rule}"')
    if rule.cut is None and not 0 <= grade <= 1:
        raise TableError(f'column "{column}" holds {text}: --rule soft takes shares from 0 to 1')
    return grade


def _advice(column: str, levels: list[str], grades: Mapping[str, float | None], unknown: list[str]) -> str:
    shown = ", ".join(levels[:8]) + (f" and {len(levels) - 8} more" if len(levels) > 8 else "")
    start = f'column "{column}" holds {shown}: neither pass / fail, 1 / 0 nor true / false.'
    numbers = [grade for grade in grades.values() if grade is not None]
    if len(numbers) == len(grades):
        if all(0 <= grade <= 1 for grade in numbers):
            return f"{start} Shares of people who pass are read by: --rule soft"
        cut = math.floor((min(numbers) + max(numbers)) / 2) + 1
        return f'{start} Grades are read by the lowest one that passes, such as: --rule "median>={cut}"'
    if len(levels) > 8:
        return f"{start} Name the column of verdicts: --map COLUMN=human"
    return f"{start} Say what they mean: --words {shlex.quote(_suggested(unknown))}"


def _suggested(unknown: list[str]) -> str:
    guess = {word: PASS if word_key(word) in GOOD else FAIL if word_key(word) in BAD else "" for word in unknown}
    if len(unknown) == 2 and "" in guess.values():
        known = next((meaning for meaning in guess.values() if meaning), FAIL)
        other = FAIL if known == PASS else PASS
        guess = {word: meaning or other for word, meaning in guess.items()}
        if len(set(guess.values())) == 1:
            guess = dict(zip(unknown, (PASS, FAIL), strict=True))
    return ",".join(f"{word}={meaning or UNSURE}" for word, meaning in guess.items())
