"""What the importer tests share: a file written by hand, and its rows read back."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from cases.importers import Import, ImportOptions, open_import
from cases.records import Record, Refusal

Write = Callable[..., Path]


def read(path: Path, **options: Any) -> tuple[list[Record], list[Refusal], Import]:
    imported = open_import(path, ImportOptions(**options))
    items = list(imported)
    records = [item for item in items if isinstance(item, Record)]
    return records, [item for item in items if isinstance(item, Refusal)], imported


def answers(path: Path, **options: Any) -> dict[str, str | None]:
    return {record.case.id: record.case.actual_output for record in read(path, **options)[0]}


def chunks(path: Path, **options: Any) -> dict[str, tuple[str, ...] | None]:
    return {record.case.id: record.case.retrieval_context for record in read(path, **options)[0]}


def jsonl(*rows: Any) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
