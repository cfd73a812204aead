"""What a deployment chooses: wrong values are refused at start, in one sentence."""

from __future__ import annotations

import os
import stat
import subprocess
import sys

import pytest

from workbench import environment
from workbench.environment import SettingError


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("mysql://host/name", "sqlite:///FILE or postgresql://"),
        ("postgresql://user@host", "names no database"),
        ("postgresql://user@host:port/name", "port that is no number"),
        ("sqlite:///", "names no file"),
        ("nonsense", "of the kind ''"),
    ],
)
def test_a_wrong_database_is_refused_with_what_would_do(tmp_path, url, words):
    with pytest.raises(SettingError, match=words):
        environment.database(tmp_path, {"DATABASE_URL": url})


def test_without_a_database_everything_is_one_file_in_the_home(tmp_path):
    chosen = environment.database(tmp_path, {})
    assert chosen["NAME"] == str(tmp_path / "workbench.sqlite3")
    assert chosen["OPTIONS"]["transaction_mode"] == "IMMEDIATE"


def test_an_address_of_postgresql_is_taken_apart(tmp_path):
    url = "postgresql://me:p%40ss@db.example:5433/work"
    chosen = environment.database(tmp_path, {"DATABASE_URL": url})
    found = tuple(chosen[name] for name in ("NAME", "USER", "PASSWORD", "HOST", "PORT"))
    assert found == ("work", "me", "p@ss", "db.example", 5433)


def test_a_flag_is_one_or_zero_and_nothing_else():
    assert environment.flag("X", default=False, environ={"X": "1"})
    assert environment.flag("X", default=True, environ={})
    with pytest.raises(SettingError, match="X='maybe'"):
        environment.flag("X", default=False, environ={"X": "maybe"})


def test_a_short_secret_key_and_a_strange_broker_are_refused(tmp_path):
    with pytest.raises(SettingError, match="fewer than 32"):
        environment.secret_key(tmp_path, {"WORKBENCH_SECRET_KEY": "short"})
    with pytest.raises(SettingError, match="no Redis address"):
        environment.broker({"CELERY_BROKER_URL": "amqp://host"})


def test_the_secret_is_made_once_and_readable_by_its_owner_alone(tmp_path):
    first = environment.secret_key(tmp_path, {})
    assert environment.secret_key(tmp_path, {}) == first
    assert stat.S_IMODE((tmp_path / "secret_key").stat().st_mode) == 0o600


def test_a_wrong_setting_stops_every_command_with_one_line(tmp_path):
    chosen = {**os.environ, "WORKBENCH_HOME": str(tmp_path), "DATABASE_URL": "mysql://host/name"}
    command = [sys.executable, "-m", "workbench.cli", "migrate"]
    ended = subprocess.run(command, env=chosen, capture_output=True, text=True, check=False)
    assert ended.returncode == 4
    assert ended.stderr.strip().splitlines()[-1].startswith("workbench: DATABASE_URL is of the kind 'mysql'")
    assert "Traceback" not in ended.stderr


def test_a_secret_that_could_not_be_written_leaves_no_empty_one_behind(tmp_path, monkeypatch):
    path = tmp_path / "secret_key"
    # Every write to /dev/full fails as on a full disk.
    full = os.open("/dev/full", os.O_WRONLY)
    opened = os.fdopen
    monkeypatch.setattr(os, "fdopen", lambda descriptor, *how, **more: os.close(descriptor) or opened(full, *how))
    with pytest.raises(OSError, match="No space left"):
        environment.kept_secret(path, length=50)
    assert not path.exists()
    monkeypatch.setattr(os, "fdopen", opened)
    assert len(environment.kept_secret(path, length=50)) >= 50
