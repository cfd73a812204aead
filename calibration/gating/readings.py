"""What a scores file says of one case under one metric: scored, unscored and why, or not applicable."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from calibration.gating.evaluators import Evaluator
from calibration.gating.files import InputError, plain, printable
from calibration.gating.rules import quantise


class Reading(NamedTuple):
    """``kind``: scored | failed (the judge call) | unreadable (a score that is none) | not_applicable."""

    kind: str
    score: float = 0.0
    reason: str = ""

    @property
    def is_unscored(self) -> bool:
        return self.kind in ("failed", "unreadable")


#: How programs write "no" or "nothing here" as text.
NO_WORDS = frozenset(
    ["f", "n", "false", "no", "not", "none", "null", "nil", "nan", "na", "n/a", "undefined", "off", "empty"]
)
#: How people say it elsewhere. As an error's text such a word may well mean "wrong", so there it stays an error.
NO_WORDS_OF_PEOPLE = NO_WORDS | frozenset(
    ["nein", "falsch", "non", "faux", "falso", "não", "nao", "nee", "nej", "nei", "nie", "нет", "không", "khong", "sai"]
)
YES_WORDS = frozenset(("true", "t", "yes", "y", "1", "1.0"))

MISSING = Reading("unreadable", reason="no score in the file")


class Row(NamedTuple):
    place: str
    case: str | None  # None: the file gives no id, so the place stands for it
    metric: str | None  # None: the config's only metric, or for a failed case every one
    reading: Reading
    names_evaluator: bool = False


class Scores(NamedTuple):
    rows: list[Row]
    evaluators: list[tuple[str | None, Evaluator]]  # the metric it speaks of, None for all
    named_for_all: list[str | None]  # the metrics whose evaluator the file names once, for every row


def read_reading(score: Any, error: Any, not_applicable: Any) -> Reading:
    """An error outweighs a score beside it. Only a number from 0 to 1 is a score: nothing else is guessed at."""
    if not says_nothing(error):
        return Reading("failed", reason=_words(error))
    if says_nothing(not_applicable, NO_WORDS_OF_PEOPLE):
        return read_score(score)
    if not _says_why(not_applicable):
        return Reading("unreadable", reason="not_applicable is neither true nor a reason")
    if score is not None:
        return Reading("unreadable", reason="both a score and not_applicable")
    return Reading("not_applicable", reason=_words(not_applicable))


def says_nothing(value: Any, no_words: frozenset[str] = NO_WORDS) -> bool:
    """No error, not "not applicable": absent, empty, zero, or a word for no.

    >>> [says_nothing(value) for value in (None, 0, [], " No ", "{}", "0.0", "timeout", True, 500)]
    [True, True, True, True, True, True, False, False, False]
    """
    if isinstance(value, str):
        return not any(c.isalnum() for c in value) or plain(value).casefold() in no_words or _number(value) == 0
    return not value or value != value  # NaN is how tables write an empty cell


def _says_why(not_applicable: Any) -> bool:
    """``true`` or a reason in words. It takes a case out of the count, so nothing else is taken for it."""
    if isinstance(not_applicable, str):
        return plain(not_applicable).casefold() in YES_WORDS or _number(not_applicable) is None
    return not_applicable is True


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def read_score(score: Any) -> Reading:
    if score is None:
        return MISSING
    if isinstance(score, bool):
        return Reading("unreadable", reason="score is true or false, not a number")
    if isinstance(score, str):
        return Reading("unreadable", reason="score is text, not a number")
    if not isinstance(score, (int, float)):
        return Reading("unreadable", reason="score is a list or an object, not a number")
    if score != score:
        return Reading("unreadable", reason="score is NaN")
    # Dust beyond the ends (1.0000000000000002) is rounded away; a huge whole number never becomes a float.
    if not -1 < score < 2 or not 0 <= quantise(score) <= quantise(1):
        return Reading("unreadable", reason="score is outside 0 to 1")
    return Reading("scored", score=float(score))


def read_case(case_id: Any, system: Any, place: str) -> str | None:
    """The case's id, trimmed; answers of several systems to one question are several cases."""
    if case_id is None or case_id == "":
        return None
    if isinstance(case_id, (bool, dict, list)):
        raise InputError(f"{place}: id: must be text or a number, not {printable(case_id)}")
    return f"{plain(case_id)} [{plain(system)}]" if system is not None and system != "" else plain(case_id)


def _words(value: Any) -> str:
    """The cause in a few words, whatever shape the judge's client gave it."""
    if value is True or (isinstance(value, str) and plain(value).casefold() in YES_WORDS):
        return "no cause given"
    if isinstance(value, dict):
        value = next((value[key] for key in ("message", "reason", "type", "code") if value.get(key)), value)
    return plain(value if isinstance(value, str) else json.dumps(value))
