"""Label words: which verdict a word means, and the option that would read a word nobody taught us."""

from __future__ import annotations

import math
import re
import shlex
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any

from cases.records import Hint, Verdict

#: Read without asking. "yes" and "good" are not here: a column may ask "is it wrong?".
KNOWN: dict[str, Verdict] = {
    "pass": "pass",
    "passed": "pass",
    "true": "pass",
    "1": "pass",
    "1.0": "pass",
    "đạt": "pass",
    "fail": "fail",
    "failed": "fail",
    "false": "fail",
    "0": "fail",
    "0.0": "fail",
    "không đạt": "fail",
    "unsure": "unsure",
    "không chắc": "unsure",
    "not applicable": "not_applicable",
    "n/a": "not_applicable",
    "không áp dụng": "not_applicable",
}

#: Offered, never taken: what a word most likely means.
LIKELY: dict[str, Verdict] = {
    **dict.fromkeys(("good", "yes", "y", "correct", "right", "ok", "accept", "accepted"), "pass"),
    **dict.fromkeys(("mostly yes", "positive", "up", "đúng", "tốt", "có"), "pass"),
    **dict.fromkeys(("bad", "no", "n", "incorrect", "wrong", "not ok", "reject", "rejected"), "fail"),
    **dict.fromkeys(("mostly no", "negative", "down", "sai", "xấu", "kém", "không"), "fail"),
    **dict.fromkeys(("maybe", "unclear", "unknown", "?", "partial", "partly"), "unsure"),
    **dict.fromkeys(("na", "none", "skip"), "not_applicable"),
}

_GAP = re.compile(r"[\s_\-]+")


def plain_word(word: Any) -> str:
    text = unicodedata.normalize("NFC", str(word)).strip()
    return _GAP.sub(" ", text).casefold()


def verdict_of(value: Any, words: Mapping[str, Verdict]) -> Verdict | None:
    """The verdict a label means, or None for a word that is neither known nor among ``words``.

    >>> verdict_of("Không đạt", {}), verdict_of(True, {}), verdict_of("good", {"good": "pass"})
    ('fail', 'pass', 'pass')
    """
    word = plain_word(value)
    taught = {plain_word(known): verdict for known, verdict in words.items()}
    return taught.get(word) or KNOWN.get(word)


def words_option(seen: Iterable[str]) -> str:
    """The ``--words`` option that would read these words; a word without a likely meaning is left open.

    >>> words_option(["good", "bad", "blue"])
    '--words "good=pass,bad=fail,blue=pass|fail|unsure|not_applicable"'
    """
    return f'--words "{words_pairs(seen)}"'


def words_pairs(seen: Iterable[str]) -> str:
    return ",".join(f"{word}={LIKELY.get(plain_word(word), 'pass|fail|unsure|not_applicable')}" for word in seen)


def grade_hint(column: str, seen: Iterable[str], what: str) -> Hint:
    """Numbers in a column of labels take two steps: read as grades here, cut into verdicts by ``calibrate``."""
    fill = f"{column}=grade"
    cut = f"the lowest grade that passes, such as {rule_option(seen)}"
    return Hint("grade", f"--map {shlex.quote(fill)} would read {what}, and calibrate then takes {cut}", fill)


def rule_option(grades: Iterable[str | float]) -> str:
    """The ``--rule`` that cuts these grades in the middle, as ``calibrate`` offers it.

    >>> rule_option(["1", "2", "5"])
    '--rule "median>=4"'
    """
    numbers = [float(grade) for grade in grades]
    low, high = min(numbers), max(numbers)
    cut = low if low == high else math.floor((low + high) / 2) + 1
    return f'--rule "median>={cut:g}"'


def is_number(word: str) -> bool:
    return re.fullmatch(r"\s*[+-]?\d+(\.\d+)?\s*", word, re.ASCII) is not None
