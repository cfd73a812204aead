"""Cells that say pass or fail, grades that a rule turns into a verdict, and the flag for what neither fits."""

from __future__ import annotations

import math
import re
import shlex
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from calibration.sheets import TableError, number

PASS, FAIL, ABSTAIN, UNDECIDED = "pass", "fail", "unsure", "undecided"

WORDS = {
    **dict.fromkeys(("pass", "passed", "1", "1.0", "true", "đạt"), PASS),
    **dict.fromkeys(("fail", "failed", "0", "0.0", "false", "không đạt"), FAIL),
    **dict.fromkeys(("unsure", "not_applicable", "not applicable"), ABSTAIN),
    "undecided": UNDECIDED,
}

GOOD = {"good", "ok", "okay", "yes", "y", "correct", "right", "accept", "acceptable", "supported", "faithful", "up"}
GOOD |= {"tốt", "đúng", "có", "positive", "+", "✓", "thumbs up"}
BAD = {"bad", "no", "n", "wrong", "incorrect", "reject", "unacceptable", "unsupported", "unfaithful", "down"}
BAD |= {"xấu", "sai", "không", "negative", "-", "✗", "thumbs down", "kém", "poor"}

RULE = re.compile(r"(majority|strictest|soft)|(median|strictest)\s*>=\s*([0-9.]+)")


@dataclass(frozen=True, slots=True)
class Rule:
    """How several labels make one verdict. ``cut`` is set for rules over grades."""

    name: str
    cut: float | None = None

    @classmethod
    def parse(cls, text: str) -> Rule:
        found = RULE.fullmatch(text.strip())
        grade = None if found is None or found[3] is None else number(found[3])
        if found is None or (found[3] is not None and grade is None):
            raise TableError(f'--rule "{text}" is none of majority, strictest, soft, "median>=3" and "strictest>=3"')
        return cls(found[1] or found[2], grade)

    def settle(self, labels: Sequence[float | str | None]) -> tuple[float, bool]:
        """(human_pass, undecided) of the labels: verdicts as 1 and 0, or grades; None abstains."""
        values = [label for label in labels if isinstance(label, float)]
        if UNDECIDED in labels or not values:
            return math.nan, UNDECIDED in labels
        if self.name == "soft":
            return math.fsum(values) / len(values), False
        cut = 0.5 if self.cut is None else self.cut
        passed = sorted(value >= cut for value in values)
        if self.name == "strictest":
            return float(passed[0]), False
        # The middle two of the sorted labels: for verdicts that is the majority, and where they part, a tie.
        low, high = passed[(len(passed) - 1) // 2], passed[len(passed) // 2]
        return (math.nan, True) if low != high else (float(low), False)


def word_key(text: str) -> str:
    return unicodedata.normalize("NFC", text).strip().casefold()


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
    texts: Sequence[str], *, column: str, rule: Rule | None, words: Mapping[str, str] | None, delimiter: str
) -> list[float | str | None]:
    """Each cell as 1.0 / 0.0 or a grade, None where it abstains or is empty, "undecided" where it says so.

    Raises TableError that names the flag which reads the column, where it holds something else.
    """
    known = {**WORDS, **(words or {})}
    levels = levels_of(texts)
    grades = {level: number(level, delimiter) for level in levels if known.get(word_key(level)) != ABSTAIN}
    spelled = _all_words(levels, words or {})
    if rule is not None and rule.cut is not None and spelled:
        raise TableError(f'column "{column}" holds verdicts, not grades: --rule majority or strictest reads them')
    if rule is not None and (rule.cut is not None or rule.name == "soft") and not spelled:
        return [_grade(text, grades, column, rule) for text in texts]
    unknown = [level for level in levels if word_key(level) not in known]
    if unknown:
        raise TableError(_advice(column, levels, grades, unknown))
    meaning = {PASS: 1.0, FAIL: 0.0, ABSTAIN: None, UNDECIDED: UNDECIDED}
    return [meaning[known[word_key(text)]] if text else None for text in texts]


def _all_words(levels: list[str], words: Mapping[str, str]) -> bool:
    """Whether every level is a word: then a rule over grades has nothing to cut."""
    known = {**WORDS, **words}
    return bool(levels) and all(word_key(level) in known and number(level) is None for level in levels)


def _grade(text: str, grades: Mapping[str, float | None], column: str, rule: Rule) -> float | None:
    level = unicodedata.normalize("NFC", text)
    if not level or level not in grades:
        return None
    grade = grades[level]
    if grade is None and WORDS.get(word_key(level)) in (PASS, FAIL):
        grade = float(WORDS[word_key(level)] == PASS) if rule.cut is None else None
    if grade is None:
        raise TableError(f'column "{column}" holds "{text}", which is no grade for --rule "{rule.name}>={rule.cut}"')
    if rule.name == "soft" and not 0 <= grade <= 1:
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
    return ",".join(f"{word}={meaning or ABSTAIN}" for word, meaning in guess.items())
