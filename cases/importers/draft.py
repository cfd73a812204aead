"""A row on its way to a record: its fields, what was taken from it, what was refused alone."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from cases.importers.limits import LIMITS, over
from cases.records import Hint, Refusal

#: A number in plain digits. Other scripts' digits are none: whoever reads them elsewhere may not see a number.
PLAIN_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)


class FieldError(Exception):
    """A field that cannot be read as what it should be. ``value`` is said first, and is not what lines share."""

    def __init__(self, field_name: str, problem: str, *, value: str = "", hint: Hint | None = None) -> None:
        self.field, self.problem, self.hint = field_name, problem, hint
        said = f"{value}: {problem}" if value else problem
        self.reason = f"{said}; {hint.advice}" if hint else said
        super().__init__(f"{field_name}: {self.reason}")


@dataclass
class Draft:
    line: int
    where: str
    fields: dict[str, Any]
    columns: Mapping[str, str]  # field -> the column it came from
    metadata: dict[str, Any] = field(default_factory=dict)
    refusals: list[Refusal] = field(default_factory=list)
    _taken: set[str] = field(default_factory=set)

    def take(self, *names: str) -> dict[str, Any]:
        """These fields' values, now spoken for; what nobody takes stays in the metadata."""
        self._taken.update(names)
        return {name: self.fields[name] for name in names if name in self.fields}

    def give_back(self, *names: str) -> None:
        self._taken.difference_update(names)

    def refuse(self, name: str, error: FieldError) -> None:
        self.refusals.append(self.refusal(name, error))

    def refuse_entry(self, place: str, error: FieldError, entry: Any) -> None:
        """Refuse one entry of a list and keep it, as it stands, in the metadata."""
        self.refuse(f"{place}.{error.field}" if error.field else place, error)
        self.metadata.setdefault("refused", {})[place] = entry

    def refusal(self, name: str, error: FieldError) -> Refusal:
        reason = f"{self.where}: {error.reason}" if self.where else error.reason
        return Refusal(self.line, name, reason, error.problem, error.hint)

    def remaining(self) -> dict[str, Any]:
        """The metadata, with every field that was not taken under its column's name."""
        rest = {
            self.columns[name]: value
            for name, value in self.fields.items()
            if name not in self._taken and not is_blank(value)
        }
        return beside(rest, self.metadata)


def beside(columns: Mapping[str, Any], metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Columns and metadata together; where both have a name, neither is lost."""
    renamed = {(f"{name} (column)" if name in metadata else name): value for name, value in columns.items()}
    return {**renamed, **metadata}


def is_blank(value: Any) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())


def text_of(values: Mapping[str, Any], name: str) -> str | None:
    """A text as it stands. A whole number is kept by its digits; what has no one spelling is refused."""
    value = values.get(name)
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise FieldError(name, f"is {kind_of(value)}, not text")


def name_of(values: Mapping[str, Any], name: str, default: str = "") -> str:
    """A name, trimmed and in NFC, so that two spellings of it are one; too long a one is refused, never cut."""
    text = unicodedata.normalize("NFC", text_of(values, name) or "").strip() or default
    if problem := over(LIMITS.get(name), text):
        raise FieldError(name, problem)
    return text


def number_of(values: Mapping[str, Any], name: str, decimal: str | None = None) -> float | None:
    """A finite number, or a text that is one in plain digits: never "83.3%", "8/10", nor "0,8" unless told so."""
    given = values.get(name)
    if is_blank(given):
        return None
    value = _with_point(given) if decimal == "," and isinstance(given, str) else given
    if _is_plain_number(value) and math.isfinite(float(str(value))):
        return float(str(value))
    raise FieldError(name, f"{str(given)[:80]!r} is no plain number", hint=_comma_hint(given, decimal))


def _is_plain_number(value: Any) -> bool:
    if isinstance(value, str):
        return PLAIN_NUMBER.fullmatch(value.strip()) is not None
    return isinstance(value, int | float) and not isinstance(value, bool)


def _with_point(text: str) -> str:
    """``0,62`` as ``0.62``. Where commas are decimal, a point parts thousands: nothing plain, so it is left to fail."""
    return "" if "." in text else text.replace(",", ".")


def is_decimal_comma(value: Any) -> bool:
    return isinstance(value, str) and re.fullmatch(r"\s*[+-]?\d*,\d+\s*", value, re.ASCII) is not None


def _comma_hint(value: Any, decimal: str | None) -> Hint | None:
    if decimal == "," or not is_decimal_comma(value):
        return None
    option = "--decimal , would read it, or " if decimal is None else ""
    return Hint("decimal", f"{option}write it with a decimal point")


def entries_of(values: Mapping[str, Any], name: str) -> tuple[dict[str, Any], ...]:
    """A list of objects, such as claims with their verdicts."""
    value = values.get(name) or ()
    if not isinstance(value, list | tuple) or not all(isinstance(item, dict) for item in value):
        raise FieldError(name, "is no list of objects")
    return tuple(value)


def kind_of(value: Any) -> str:
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, int | float):
        return f"the number {value}"
    return "a list" if isinstance(value, list | tuple) else "an object"
