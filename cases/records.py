"""The frozen records that every layer speaks. Plain Python: no Django."""

from __future__ import annotations

import hashlib
import json
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

Verdict = Literal["pass", "fail", "unsure", "not_applicable"]

#: What makes a case the same case. The rest (group, language, tags, metadata) only describes it.
JUDGED_FIELDS = (
    "input",
    "actual_output",
    "expected_output",
    "context",
    "retrieval_context",
    "tools_called",
    "expected_tools",
    "history",
)


@dataclass(frozen=True, slots=True)
class TestCase:
    """One input with a system's answer. ``actual_output`` is None for a golden, "" for an empty answer."""

    __test__ = False  # pytest: this is no test

    id: str
    input: str | None = None
    actual_output: str | None = None
    expected_output: str | None = None
    context: tuple[str, ...] | None = None
    retrieval_context: tuple[str, ...] | None = None
    tools_called: tuple[Any, ...] | None = None
    expected_tools: tuple[Any, ...] | None = None
    token_cost: float | None = None
    completion_time: float | None = None
    history: tuple[Any, ...] = ()
    system: str = ""
    language: str = ""
    group_id: str = ""
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_golden(self) -> bool:
        return self.actual_output is None

    def judged_hash(self) -> str:
        """SHA-256 over the judged fields, in NFC so that two spellings of one text are one case."""
        return content_hash({name: getattr(self, name) for name in JUDGED_FIELDS})

    def row_hash(self) -> str:
        """SHA-256 over everything, the id included: what a dataset version's hash is made of."""
        return content_hash(asdict(self))


@dataclass(frozen=True, slots=True)
class LabelRecord:
    """What one person said about one case under one metric ("overall" is a metric too)."""

    case_id: str
    annotator: str
    metric: str
    verdict: Verdict | None = None
    grade: float | None = None
    scale: tuple[float, float] | None = None
    system: str = ""
    note: str = ""
    failure_mode: str = ""
    units: tuple[Mapping[str, Any], ...] = ()
    created_at: str = ""
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class ScoreRecord:
    """What one judge said: scored (``score``), unscored (``error``) or not applicable, never two of them."""

    case_id: str
    judge: str
    metric: str
    score: float | None = None
    error: str = ""
    not_applicable: str = ""
    system: str = ""
    reason: str = ""
    verdicts: tuple[Mapping[str, Any], ...] = ()
    flags: tuple[str, ...] = ()
    raw: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Record:
    """One row of an import: a case and what came along with it."""

    line: int
    case: TestCase
    labels: tuple[LabelRecord, ...] = ()
    scores: tuple[ScoreRecord, ...] = ()
    context_shape: str | None = None  # how its retrieval context was read; None where the row has none


@dataclass(frozen=True, slots=True)
class Hint:
    """What would help. ``advice`` says it to the command line; a page has its own words for ``kind``."""

    kind: str
    advice: str
    fill: str = ""  # what to type, the same in both places


@dataclass(frozen=True, slots=True)
class Refusal:
    """A row, or one field of it, that was not taken, and why: ``reason`` is the whole of it, for the command line.

    ``problem`` is its part that other lines may share, without the place and the hint; empty where it is all.
    """

    line: int
    field: str
    reason: str
    problem: str = ""
    hint: Hint | None = None


def canonical_json(value: Any) -> str:
    """The one spelling of a value: sorted keys, NFC text, no spaces, no NaN. Same value, same bytes."""
    return json.dumps(_nfc(value), sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def content_hash(value: Any) -> str:
    return hashlib.sha256(canonical_json(value).encode("utf-8", "surrogatepass")).hexdigest()


def _nfc(value: Any) -> Any:
    if isinstance(value, str):
        return unicodedata.normalize("NFC", value)
    if isinstance(value, Mapping):
        return {_nfc(str(key)): _nfc(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray):
        return [_nfc(item) for item in value]
    return value
