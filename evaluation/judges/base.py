"""What every judge is: something that answers a metric's prompts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from string import Template
from typing import Literal, Protocol

from evaluation.replies import ShapeT

Value = str | Sequence[str]


@dataclass(frozen=True, slots=True)
class Prompt:
    """A metric's question about each unit: is it supported by, or relevant to, the evidence?"""

    asks: Literal["supported", "relevant"]
    text: str

    def fill(self, **values: Value) -> str:
        """The text with each ``$name`` replaced once. A value is data: a ``$name`` inside it stays as it is."""
        return Template(self.text).substitute({name: _block(value) for name, value in values.items()})


def _block(value: Value) -> str:
    if isinstance(value, str):
        return value
    return "\n".join(f"{number}. {text}" for number, text in enumerate(value, start=1))


class Judge(Protocol):
    """Answers prompts. Raises JudgeError when it cannot; never makes an answer up.

    Metrics pass the texts to judge as ``units`` and what they are judged by as ``evidence``.
    """

    @property
    def whole_score(self) -> float | None:
        """A score that is known without verdicts: a recorded one. None for every judge that must be asked."""

    async def ask(self, prompt: Prompt, shape: type[ShapeT], **values: Value) -> ShapeT: ...
