"""Which column is which field: by the mapping given, by name, then by the names other tools use."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Any

from cases.importers.options import CaseFileError
from cases.records import Hint

TEXT_FIELDS = ("input", "actual_output", "expected_output")
CHUNK_FIELDS = ("context", "retrieval_context")
LIST_FIELDS = ("tools_called", "expected_tools", "history", "tags")
NUMBER_FIELDS = ("token_cost", "completion_time")
NAME_FIELDS = ("id", "system", "language", "group_id")
LABEL_FIELDS = ("human", "grade", "scale", "annotator", "note", "failure_mode", "created_at", "seconds")
SCORE_FIELDS = ("score", "judge", "error")
FIELDS = (
    *NAME_FIELDS,
    *TEXT_FIELDS,
    *CHUNK_FIELDS,
    *LIST_FIELDS,
    *NUMBER_FIELDS,
    *LABEL_FIELDS,
    *SCORE_FIELDS,
    "metric",
    "metadata",
)

#: Other names of a field, each used only where the field's own name is absent. Shown in the report.
ALIASES = {
    "id": ("case_id", "test_case_id", "question_id", "mã"),
    "input": ("question", "query", "user_input", "prompt", "câu_hỏi"),
    "actual_output": ("answer", "response", "output", "câu_trả_lời", "trả_lời"),
    "expected_output": (
        "expected",
        "expected_answer",
        "ground_truth",
        "reference",
        "reference_answer",
        "đáp_án",
    ),
    "retrieval_context": ("contexts", "retrieved_contexts", "chunks", "ngữ_cảnh"),
    "context": ("reference_contexts",),
    "system": ("model", "hệ_thống"),
    "language": ("lang", "ngôn_ngữ"),
    "group_id": ("group", "conversation_id", "nhóm"),
    "history": ("chat_history",),
    "human": ("human_pass", "label", "human_label", "nhãn"),
    "annotator": ("reviewer", "rater", "người_đánh_giá"),
    "note": ("critique", "ghi_chú"),
    "score": ("judge_score", "điểm_máy"),
    "judge": ("judge_name", "judge_model"),
    "metadata": ("additional_metadata",),
}
_BY_ALIAS = {alias: name for name, aliases in ALIASES.items() for alias in aliases}
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_GAP = re.compile(r"[\s_\-]+")


def plain_name(column: str) -> str:
    """``Case ID``, ``caseId`` and ``case-id`` are one name: ``case_id``."""
    text = unicodedata.normalize("NFC", column).strip()
    return _GAP.sub("_", _HUMP.sub("_", text)).casefold()


class Columns:
    """Assigns the columns of each row to fields, and remembers what it did for the preview."""

    def __init__(self, mapping: Mapping[str, str], aliases: Mapping[str, str] | None = None) -> None:
        self.asked = {_key(column): name for column, name in mapping.items()}
        self.aliases = {**_BY_ALIAS, **(aliases or {})}
        self.mapping: dict[str, str] = {}
        self.unknown: dict[str, None] = {}
        self.seen: dict[str, None] = {}
        self._ranked: dict[str, tuple[int, str]] = {}
        _refuse_wrong_targets(mapping)

    def assign(self, values: Mapping[str, Any]) -> tuple[dict[str, str], dict[str, Any]]:
        """The column of each field this row has, and the values of columns that are no field."""
        chosen: dict[str, tuple[int, str]] = {}
        for column in values:
            rank, name = self._rank(column)
            if name and (name not in chosen or rank < chosen[name][0]):
                chosen[name] = (rank, column)
        taken = {column: name for name, (_, column) in chosen.items()}
        self._remember(values, taken)
        rest = {column: value for column, value in values.items() if column not in taken}
        return {name: column for column, name in taken.items()}, rest

    def missing(self) -> list[str]:
        """Columns the mapping names that no row has had."""
        seen = {_key(column) for column in self.seen}
        return [column for column in self.asked if column not in seen]

    def _rank(self, column: str) -> tuple[int, str]:
        if column not in self._ranked:
            self._ranked[column] = self._find(column)
        return self._ranked[column]

    def _find(self, column: str) -> tuple[int, str]:
        name = plain_name(column)
        if asked := self.asked.get(_key(column)):
            # Asked to leave a column alone: only one called metadata is metadata itself.
            return (0, asked) if asked != "metadata" or name == "metadata" else (9, "")
        if name in FIELDS:
            return (1, name)
        return (2, self.aliases.get(name, ""))

    def _remember(self, values: Mapping[str, Any], taken: Mapping[str, str]) -> None:
        for column in values:
            if column in self.seen or len(self.seen) >= 1000:  # keys of hostile rows have no end
                continue
            self.seen[column] = None
            if column in taken:
                self.mapping[column] = taken[column]
            else:
                self.unknown[column] = None


def _key(column: str) -> str:
    return unicodedata.normalize("NFC", column).strip()


def _refuse_wrong_targets(mapping: Mapping[str, str]) -> None:
    used: dict[str, str] = {}
    for column, name in mapping.items():
        if name not in FIELDS:
            hint = Hint("fields", f"Fields: {', '.join(FIELDS)}.", ", ".join(FIELDS))
            raise CaseFileError(f"{column}={name}: {name!r} is no field.", option="--map", hint=hint)
        if name != "metadata" and name in used:
            raise CaseFileError(f"Two columns are named for {name}: {used[name]!r} and {column!r}.", advice="Keep one.")
        used[name] = column
