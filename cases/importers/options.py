"""What the person importing may decide, and the one error of a file that cannot be read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, get_args

from cases.records import Hint, Verdict

#: Longest row (a line, or one item of a JSON list), in characters. Longer ones are refused unread.
MAX_ROW = 16 * 1024 * 1024

#: Why a row with an id alone is refused where labels or scores are read without their cases.
NOTHING_SAID = "there is neither a label nor a score"


class CaseFileError(Exception):
    """A file that cannot be read as cases: what is wrong, where, and what to do. Never holds a path.

    As text it speaks to the command line, naming its ``option``; a page shows ``problem`` and its own hint.
    """

    def __init__(
        self, problem: str, *, line: int | None = None, advice: str = "", option: str = "", hint: Hint | None = None
    ) -> None:
        self.problem, self.line, self.hint = problem, line, hint
        self.advice = hint.advice if hint else advice
        where = f"line {line}:" if line is not None else ""
        super().__init__(" ".join(part for part in (where, option, problem, self.advice) if part))


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """Everything left empty is detected and shown in the report."""

    format: str | None = None
    mapping: Mapping[str, str] = field(default_factory=dict)  # column -> field; "metadata" leaves it alone
    context_separator: str | None = None
    words: Mapping[str, Verdict] = field(default_factory=dict)  # label word -> verdict
    encoding: str | None = None
    delimiter: str | None = None
    decimal: str | None = None  # "," reads 0,62 as a number; "." leaves it refused
    annotator: str = "imported"
    judge: str = "imported"
    metric: str = "overall"
    needs_case: bool = True  # False: a file of labels or scores alone, rows need only an id


@dataclass(frozen=True, slots=True)
class RawRow:
    """One row as its format gives it: columns and their values, not yet understood."""

    line: int
    values: Mapping[str, Any]
    where: str = ""  # "item 3" where several rows share a line


def parse_mapping(pairs: list[str]) -> dict[str, str]:
    """``["Question=input"]`` as a mapping, the last ``=`` dividing (a column may hold one)."""
    mapping = {}
    for pair in pairs:
        column, equals, name = pair.rpartition("=")
        if not (equals and column.strip() and name.strip()):
            hint = Hint("columns", "Write --map question=input.", "question=input")
            raise CaseFileError(f"{pair!r} is not column=field.", option="--map", hint=hint)
        mapping[column.strip()] = name.strip()
    return mapping


def parse_words(text: str) -> dict[str, Verdict]:
    """``"good=pass,bad=fail"`` as a mapping from label words to verdicts."""
    words: dict[str, Verdict] = {}
    for pair in filter(str.strip, text.split(",")):
        word, equals, name = pair.rpartition("=")
        verdict = next((known for known in get_args(Verdict) if known == name.strip()), None)
        if not (equals and word.strip() and verdict):
            advice = f"The verdicts are {', '.join(get_args(Verdict))}: --words good=pass,bad=fail."
            hint = Hint("words", advice, "good=pass,bad=fail")
            raise CaseFileError(f"{pair.strip()!r} is not word=verdict.", option="--words", hint=hint)
        words[word.strip()] = verdict
    return words
