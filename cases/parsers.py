"""How the API reads a request."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser

from cases.given import read_json, require_storable


class StorableJSONParser(JSONParser):
    """JSON whose every text can be stored; 400 for anything else."""

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Mapping[str, Any] | None = None) -> Any:
        try:
            return require_storable(read_json(stream.read()))
        except ValueError as error:
            raise ParseError(f"JSON parse error: {error}") from error
