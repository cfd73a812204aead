"""What commands print: JSON for machines on stdout, sentences and progress for people."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

from workbench.cli.errors import CliError


def emit_json(value: Any) -> None:
    """Valid JSON only: NaN or Infinity in a document is a defect, so it raises."""
    print(json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False))


def say(text: str = "") -> None:
    print(text)


def warn(text: str) -> None:
    print(text, file=sys.stderr)


def write_file(path: str, content: bytes) -> None:
    try:
        Path(path).write_bytes(content)
    except OSError as error:
        raise CliError(f"{path}: cannot be written ({error.strerror})") from error


class Progress:
    """A line on stderr that is redrawn in a terminal, at most five times a second, and silent in a log."""

    def __init__(self, what: str, total: int | None = None) -> None:
        self.what, self.total, self.drawn_at = what, total, 0.0
        self.is_live = sys.stderr.isatty()

    def __call__(self, done: int) -> None:
        now = time.monotonic()
        if not self.is_live or now - self.drawn_at < 0.2:
            return
        self.drawn_at = now
        of = f" of {self.total:,} ({done / self.total:.0%})" if self.total else ""
        sys.stderr.write(f"\r\033[K{self.what}: {done:,}{of}")
        sys.stderr.flush()

    def close(self) -> None:
        if self.is_live and self.drawn_at:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()
