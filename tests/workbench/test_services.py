"""The databases of the tests themselves, and the product's migrations on them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def workbench(*arguments: str, home: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "workbench.cli", *arguments],
        cwd=ROOT,
        env={**os.environ, "WORKBENCH_HOME": str(home), **environment},
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.mark.postgres
def test_the_migrations_run_on_postgresql_and_leave_nothing_missing(postgres_database, tmp_path):
    import psycopg

    behind = workbench("worker", "--once", home=tmp_path, DATABASE_URL=postgres_database)
    assert behind.returncode == 1
    assert "Run: workbench migrate" in behind.stderr

    migrated = workbench("migrate", "--quiet", home=tmp_path, DATABASE_URL=postgres_database)
    assert (migrated.returncode, migrated.stdout, migrated.stderr) == (0, "", "")
    with psycopg.connect(postgres_database) as connection:
        applied = dict(connection.execute("SELECT app, count(*) FROM django_migrations GROUP BY app").fetchall())
    assert {"cases", "labeling", "evaluation", "calibration"} <= applied.keys()
    again = workbench("worker", "--once", home=tmp_path, DATABASE_URL=postgres_database)
    assert (again.returncode, again.stdout) == (0, "0 done.\n")


def test_a_database_that_does_not_answer_is_one_sentence(tmp_path):
    # Port 9 of this machine: nothing listens there.
    asked = workbench("serve", home=tmp_path, DATABASE_URL="postgresql://nobody@127.0.0.1:9/none")
    assert asked.returncode == 1
    assert asked.stderr.startswith("workbench: The database does not answer: ")
    assert "Traceback" not in asked.stderr


@pytest.mark.redis
def test_the_private_redis_answers_and_is_empty(private_redis):
    import redis

    client = redis.Redis.from_url(private_redis)
    assert client.ping()
    assert client.dbsize() == 0


@pytest.mark.journey
def test_chromium_starts_and_renders(browser):
    page = browser.new_page()
    page.set_content("<title>Alice</title><p>Bob")
    assert page.title() == "Alice"
    assert page.inner_text("p") == "Bob"
