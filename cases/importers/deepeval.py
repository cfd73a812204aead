"""DeepEval's dataset JSON: a list of goldens, in snake_case or camelCase (both are one name here)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from cases.importers.json_list import JsonList
from cases.importers.options import ImportOptions, RawRow
from cases.importers.report import ImportReport
from cases.importers.source import Source
from cases.records import Refusal

#: Keys that DeepEval writes and the canonical shape does not have.
_OWN_KEYS = re.compile(
    r'"(additional_?metadata|source_?file|custom_?column_?key_?values|actualOutput|expectedOutput|'
    r'retrievalContext|goldens|testCases|test_cases)"\s*:',
    re.IGNORECASE,
)


class DeepEvalDataset(JsonList):
    keys = ("goldens", "testCases", "test_cases")
    aliases: Mapping[str, str] = {"name": "id"}

    @staticmethod
    def recognises(head: str) -> bool:
        return JsonList.recognises(head) and _OWN_KEYS.search(head) is not None

    def rows(self, source: Source, options: ImportOptions, report: ImportReport) -> Iterator[RawRow | Refusal]:
        for row in super().rows(source, options, report):
            # DeepEval writes every field it knows, null or not: a null says nothing worth keeping.
            if isinstance(row, RawRow) and type(row.values) is dict:
                yield replace(row, values={key: value for key, value in row.values.items() if value is not None})
            else:
                yield row
