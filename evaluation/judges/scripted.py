"""A judge that says what a test tells it to say, through the same parser as every other reply."""

from __future__ import annotations

from collections.abc import Iterable

from evaluation.errors import JudgeError
from evaluation.judges.base import Prompt, Value
from evaluation.replies import ShapeT, read_reply


class Scripted:
    """Gives the replies in order; an exception among them is raised. ``asked`` keeps the filled prompts."""

    whole_score: float | None = None

    def __init__(self, replies: Iterable[str | JudgeError]) -> None:
        self._replies = iter(replies)
        self.asked: list[str] = []

    async def ask(self, prompt: Prompt, shape: type[ShapeT], **values: Value) -> ShapeT:
        self.asked.append(prompt.fill(**values))
        reply = next(self._replies, None)
        if reply is None:
            raise JudgeError(f"the script ends after {len(self.asked) - 1} replies")
        if isinstance(reply, JudgeError):
            raise reply
        return read_reply(reply, shape)
