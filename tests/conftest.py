"""What every test may use: the shared field inputs (when they are beside the checkout) and the fixed cast."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

pytest_plugins = ["tests.services"]

ROOT = Path(__file__).resolve().parent.parent
SHARED = Path(os.environ.get("WORKBENCH_SHARED", ROOT.parent / "shared"))


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of field inputs; tests that read it skip where it is absent."""
    if not (SHARED / "cases").is_dir():
        pytest.skip("the shared field inputs are not beside this checkout")
    return SHARED
