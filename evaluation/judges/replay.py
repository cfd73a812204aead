"""A judge heard before: it repeats the verdicts, or the score, that were recorded for a case."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evaluation.errors import JudgeError, NothingRecordedError
from evaluation.judges.base import Prompt, Value
from evaluation.replies import ShapeT, text_of


@dataclass(frozen=True, slots=True)
class Recording:
    """What a judge once said of one case: verdicts, or only a score, or that it failed."""

    score: float | None = None
    verdicts: tuple[Mapping[str, Any], ...] = ()
    error: str = ""


class Replay:
    """Repeats what was said of one case: recorded verdicts are scored anew, a bare score is taken as it is."""

    version = "1"

    def __init__(self, recording: Recording | None = None) -> None:
        self.recording = recording

    @property
    def whole_score(self) -> float | None:
        if self.recording is None or self.recording.verdicts or self.recording.error:
            return None
        return self.recording.score

    async def ask(self, prompt: Prompt, shape: type[ShapeT], **values: Value) -> ShapeT:
        if self.recording is None:
            raise NothingRecordedError("nothing is recorded for this case")
        if self.recording.error:
            raise JudgeError(self.recording.error)
        if not self.recording.verdicts:
            raise NothingRecordedError("neither verdicts nor a score are recorded for this case")
        _require_same_units(self.recording.verdicts, values.get("units", ()))
        return shape.from_data({"verdicts": list(self.recording.verdicts)})


def _require_same_units(verdicts: Sequence[Mapping[str, Any]], units: Value) -> None:
    """A recorded text that is not the unit at its place is a verdict on something else. Counts are checked later."""
    for verdict, unit in zip(verdicts, units, strict=False):
        said_of = text_of(verdict)
        if said_of and _plain(said_of) != _plain(unit):
            raise NothingRecordedError(
                f"the recorded verdicts are on other units than the shared ones: {said_of[:80]!r}"
            )


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).split())
