"""kill -9 in the middle of an import leaves the database as it was."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time

import pytest

from tests.cast import row, write_jsonl

pytestmark = pytest.mark.kill

#: Imports a file, and tells by a marker file that rows are being written.
SCRIPT = """
import os, sys, time
os.environ["DJANGO_SETTINGS_MODULE"] = "workbench.settings"
import django; django.setup()
from pathlib import Path
from cases.importers import ImportOptions
from cases.services import default_project, import_file, imports
imports.BATCH = 10
def tell(done):
    Path(sys.argv[2]).write_text(str(done)); time.sleep(0.05)
import_file(
    project=default_project(), dataset_name="tea", path=Path(sys.argv[1]), options=ImportOptions(), progress=tell
)
"""


@pytest.fixture
def home(tmp_path):
    environment = {**os.environ, "WORKBENCH_HOME": str(tmp_path / "home")}
    environment.pop("DATABASE_URL", None)
    subprocess.run([sys.executable, "-m", "workbench.cli", "migrate", "--quiet"], env=environment, check=True)
    return environment


def counts(environment) -> dict[str, int]:
    with sqlite3.connect(os.path.join(environment["WORKBENCH_HOME"], "workbench.sqlite3")) as database:
        tables = ("cases_dataset", "cases_datasetversion", "cases_case", "cases_datasetrow", "labeling_label")
        return {name: database.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in tables}


def test_a_killed_import_leaves_no_half_stored_dataset(home, tmp_path):
    label = {"annotator": "alice", "metric": "overall", "verdict": "pass"}
    path = write_jsonl(tmp_path / "cases.jsonl", [row(str(i), human=[label]) for i in range(400)])
    marker = tmp_path / "marker"
    importing = subprocess.Popen([sys.executable, "-c", SCRIPT, str(path), str(marker)], env=home)
    deadline = time.monotonic() + 60
    while not marker.exists() or int(marker.read_text() or 0) < 50:
        assert importing.poll() is None, "the import ended before it could be killed"
        assert time.monotonic() < deadline
        time.sleep(0.01)
    importing.send_signal(signal.SIGKILL)
    importing.wait()
    assert counts(home) == dict.fromkeys(counts(home), 0)

    again = [sys.executable, "-m", "workbench.cli", "import", str(path), "--dataset", "tea"]
    subprocess.run(again, env=home, check=True, capture_output=True)
    assert counts(home)["cases_case"] == counts(home)["labeling_label"] == 400
