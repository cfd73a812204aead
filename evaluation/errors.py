"""How a judge fails. Each is one unscored case with its reason kept; the run goes on."""

from __future__ import annotations


class JudgeError(Exception):
    """The judge gave nothing that can become a score. ``raw_reply`` is what it did say."""

    def __init__(self, reason: str, *, raw_reply: str = "") -> None:
        super().__init__(reason)
        self.raw_reply = raw_reply


class UnreadableReplyError(JudgeError):
    """A reply that does not fit: no JSON, a verdict missing, a word that is no verdict."""


class NothingRecordedError(JudgeError):
    """A recorded judge is asked about a case it was never heard on."""
