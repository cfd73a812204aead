"""The README's commands, in its order, as they stand there: each does what it is there for."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^    bin/workbench (.+)$", README, re.MULTILINE)


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A folder with the README's example files, and a database beside it."""
    path = tmp_path_factory.mktemp("readme")
    shutil.copytree(ROOT / "docs" / "example", path / "docs" / "example")
    assert run(path, "migrate --quiet").returncode == 0
    return path


def run(folder: Path, command: str) -> subprocess.CompletedProcess[str]:
    words = shlex.split(command)
    target = words[words.index(">") + 1] if ">" in words else None
    words = words[: words.index(">")] if target else words
    environment = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
    environment |= {"WORKBENCH_HOME": str(folder / "home"), "PYTHONPATH": str(ROOT)}
    line = [sys.executable, "-m", "workbench.cli", *words]
    ended = subprocess.run(line, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if target:
        (folder / target).write_text(ended.stdout)
    return ended


def test_the_readme_has_the_whole_way_from_a_file_to_a_gate():
    verbs = [command.split()[0] for command in COMMANDS]
    assert set(verbs) >= {"import", "sample", "round", "user", "evaluate", "calibrate", "export", "gate"}


def test_every_command_of_the_readme_ends_well_in_its_order(folder):
    for command in COMMANDS:
        ended = run(folder, command)
        assert ended.returncode == 0, f"{command}\n{ended.stdout}{ended.stderr}"


def test_every_file_the_readme_links_to_is_there():
    linked = re.findall(r"\]\(((?!http)[^)]+)\)", README)
    assert linked
    assert [path for path in linked if not (ROOT / path).exists()] == []
