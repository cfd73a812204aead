"""What an exporter is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple


class Exporter(NamedTuple):
    render: Callable[[Mapping[str, Any]], bytes]  # a validated config in, the file's bytes out
    file_name: str
    media_type: str
