"""The one place where a judge's reply becomes data. What does not fit raises, and nothing gets a default."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, ClassVar, Protocol, Self, TypeVar

from evaluation.errors import UnreadableReplyError

#: The words a verdict may be, after trimming. "idk": the evidence says neither.
VERDICT_WORDS = ("yes", "no", "idk")

#: What may stand around a verdict without changing it: spaces, quotes, a final stop.
_AROUND = " \t\r\n\"'`.,!;:*“”‘’"

#: Under which of these a recorded verdict may hold the text that it is about.
_TEXT_KEYS = ("unit", "claim", "statement", "chunk", "text")


class Shape(Protocol):
    """What a reply can be read as."""

    schema: ClassVar[Mapping[str, Any]]

    @classmethod
    def from_data(cls, data: object) -> Self: ...


ShapeT = TypeVar("ShapeT", bound=Shape)


@dataclass(frozen=True, slots=True)
class UnitVerdict:
    """One claim's, statement's or chunk's verdict: yes, no or idk."""

    verdict: str
    reason: str = ""
    unit: str = ""

    @property
    def is_yes(self) -> bool:
        return self.verdict == "yes"

    def as_dict(self) -> dict[str, str]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Verdicts:
    """A reply ``{"verdicts": [{"verdict": "yes", "reason": "..."}, ...]}``, one for each unit in order."""

    verdicts: tuple[UnitVerdict, ...]

    schema: ClassVar[Mapping[str, Any]] = {
        "type": "object",
        "properties": {
            "verdicts": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "verdict": {"type": "string", "enum": list(VERDICT_WORDS)},
                        "reason": {"type": "string"},
                    },
                    "required": ["verdict", "reason"],
                    "additionalProperties": False,
                },
            }
        },
        "required": ["verdicts"],
        "additionalProperties": False,
    }

    @classmethod
    def from_data(cls, data: object) -> Verdicts:
        entries = data.get("verdicts") if isinstance(data, Mapping) else None
        if not isinstance(entries, Sequence) or isinstance(entries, str):
            raise UnreadableReplyError("the reply holds no list of verdicts", raw_reply=_shown(data))
        return cls(tuple(_unit_verdict(entry, data) for entry in entries))

    def one_for_each(self, units: Sequence[str], what: str) -> tuple[UnitVerdict, ...]:
        """The verdicts with their units' texts; raises when there is not exactly one for each."""
        if len(self.verdicts) != len(units):
            heard = [verdict.as_dict() for verdict in self.verdicts]
            raise UnreadableReplyError(
                f"{len(self.verdicts)} verdicts for {len(units)} {what}", raw_reply=_shown(heard)
            )
        return tuple(replace(verdict, unit=text) for verdict, text in zip(self.verdicts, units, strict=True))


def read_reply(text: str, shape: type[ShapeT]) -> ShapeT:
    """A model's whole text as ``shape``. Only JSON is read; NaN and Infinity are not JSON."""
    try:
        data = json.loads(text, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise UnreadableReplyError(f"the reply is no JSON ({error})", raw_reply=text) from error
    try:
        return shape.from_data(data)
    except UnreadableReplyError as error:
        error.raw_reply = text
        raise


def read_verdict(word: object) -> str | None:
    """``" YES\\n"`` and ``"Yes."`` are "yes"; a word outside the allowed set is None, never a guess."""
    if not isinstance(word, str):
        return None
    plain = unicodedata.normalize("NFC", word).strip(_AROUND).casefold()
    return plain if plain in VERDICT_WORDS else None


def text_of(entry: Mapping[str, Any]) -> str:
    """The text that a recorded verdict is about; empty when it does not say."""
    return next((text for key in _TEXT_KEYS if isinstance(text := entry.get(key), str)), "")


def _unit_verdict(entry: object, whole: object) -> UnitVerdict:
    word = entry.get("verdict") if isinstance(entry, Mapping) else entry
    verdict = read_verdict(word)
    if verdict is None:
        raise UnreadableReplyError(f"verdict outside the allowed set: {_shown(word)[:80]}", raw_reply=_shown(whole))
    reason = entry.get("reason") if isinstance(entry, Mapping) else ""
    return UnitVerdict(verdict, reason if isinstance(reason, str) else "")


def _no_number(word: str) -> float:
    raise ValueError(f"{word} is no number")


def _shown(data: object) -> str:
    return json.dumps(data, ensure_ascii=False, default=str)
