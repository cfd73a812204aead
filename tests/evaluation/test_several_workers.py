import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def drained_by_several(home: Path, **extra: str) -> dict[str, object]:
    kept = {name: value for name, value in os.environ.items() if name not in {"DATABASE_URL", "CELERY_BROKER_URL"}}
    finished = subprocess.run(
        [sys.executable, "-m", "tests.evaluation.several_workers"],
        env=kept | {"WORKBENCH_HOME": str(home)} | extra,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert finished.returncode == 0, finished.stderr
    return json.loads(finished.stdout)


def once_each(found: dict[str, object]) -> None:
    assert found["asked"] == 1
    assert (found["cases"], found["scores"], found["done"], found["state"]) == (120, 120, 120, "done")
    assert found["workers"] > 1


def test_several_workers_on_sqlite_do_no_case_twice(tmp_path):
    once_each(drained_by_several(tmp_path))


@pytest.mark.postgres
def test_several_workers_on_postgresql_do_no_case_twice(tmp_path, postgres_database):
    once_each(drained_by_several(tmp_path, DATABASE_URL=postgres_database))
