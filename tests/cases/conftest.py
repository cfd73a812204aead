"""Files for the importer tests, written by hand."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def write(tmp_path):
    """Write text (UTF-8 unless told) or bytes to a file and give its path."""

    def write_file(content: str | bytes, name: str = "file.txt", encoding: str = "utf-8") -> Path:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode(encoding))
        return path

    return write_file
