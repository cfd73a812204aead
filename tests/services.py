"""PostgreSQL, Redis and Chromium for tests: started for them alone, on free ports, gone when they end.

Where one is not installed its tests are skipped in one line. With WORKBENCH_REQUIRE_SERVICES=1 they fail instead.
"""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn
from uuid import uuid4

import pytest

#: Runs a service until our end of its standard input closes, as it does even when the tests are killed.
UNTIL_STDIN_CLOSES = '"$@" </dev/null & child=$!; read -r _; kill -INT "$child"; wait "$child"'
START_SECONDS = 60
CHROMIUM_NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]
CHROMIUM_ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def is_missing(what: str) -> NoReturn:
    if os.environ.get("WORKBENCH_REQUIRE_SERVICES") == "1":
        pytest.fail(f"{what} is not installed, and WORKBENCH_REQUIRE_SERVICES=1 asks for it", pytrace=False)
    pytest.skip(f"{what} is not installed: the tests on it are skipped")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="session")
def private_postgres() -> Iterator[str]:
    """The address of a PostgreSQL of our own; its one database is ``postgres``."""
    initdb, postgres = find_postgres("initdb"), find_postgres("postgres")
    if not initdb or not postgres:
        is_missing("PostgreSQL")
    user = unprivileged_user()
    with folder_of(user) as folder:
        data, port = folder / "data", free_port()
        options = ["--auth=trust", "--username=postgres", "--encoding=UTF8", "--locale=C", "--no-sync"]
        # PostgreSQL refuses to run as root.
        subprocess.run([initdb, *options, data], user=user, cwd=folder, check=True, stdout=subprocess.DEVNULL)
        settings = [
            "listen_addresses=127.0.0.1",
            f"unix_socket_directories={folder}",
            "fsync=off",
            "full_page_writes=off",
        ]
        command = [postgres, "-D", str(data), "-p", str(port), *(part for value in settings for part in ("-c", value))]
        with running(command, folder=folder, user=user, answers=lambda: postgres_answers(port)):
            yield f"postgresql://postgres@127.0.0.1:{port}/postgres"


@pytest.fixture
def postgres_database(private_postgres: str) -> Iterator[str]:
    """The address of an empty database, for one test."""
    import psycopg

    name = f"test_{uuid4().hex}"
    with psycopg.connect(private_postgres, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
        yield f"{private_postgres.rpartition('/')[0]}/{name}"
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


def find_postgres(program: str) -> str | None:
    """The newest of Debian's versions, else what is on PATH."""
    found = [path for path in Path("/usr/lib/postgresql").glob(f"*/bin/{program}") if path.parts[4].isdecimal()]
    if found:
        return str(max(found, key=lambda path: int(path.parts[4])))
    return shutil.which(program)


def postgres_answers(port: int) -> bool:
    import psycopg

    try:
        psycopg.connect(f"postgresql://postgres@127.0.0.1:{port}/postgres", connect_timeout=5).close()
    except psycopg.OperationalError:
        return False
    return True


@pytest.fixture(scope="session")
def private_redis() -> Iterator[str]:
    """The address of a Redis of our own that keeps nothing."""
    redis = shutil.which("redis-server")
    if not redis:
        is_missing("Redis")
    with folder_of(None) as folder:
        port = free_port()
        command = [redis, "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
        with running(command, folder=folder, user=None, answers=lambda: redis_answers(port)):
            yield f"redis://127.0.0.1:{port}/0"


def redis_answers(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
            connection.sendall(b"PING\r\n")
            return connection.recv(16).startswith(b"+PONG")
    except OSError:
        return False


def unprivileged_user() -> str | None:
    """Whom a service that refuses root runs as: None is ourselves."""
    if os.geteuid() != 0:
        return None
    names = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in names else "nobody"


@contextmanager
def folder_of(user: str | None) -> Iterator[Path]:
    """A short path, which a socket's name needs, that the user may write to; removed at the end."""
    folder = Path(tempfile.mkdtemp(prefix="workbench-"))
    try:
        if user:
            shutil.chown(folder, user)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def running(command: list[str], *, folder: Path, user: str | None, answers: Callable[[], bool]) -> Iterator[None]:
    log = folder / "log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            ["/bin/sh", "-c", UNTIL_STDIN_CLOSES, "sh", *command],
            cwd=folder,
            user=user,
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=output,
        )
    assert process.stdin
    try:
        wait_until(answers, process, log)
        yield
    finally:
        process.stdin.close()
        process.wait(START_SECONDS)


def wait_until(answers: Callable[[], bool], process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while not answers():
        if process.poll() is not None or time.monotonic() > deadline:
            pytest.fail(f"{process.args[4]} did not start:\n{log.read_text(errors='replace')[-2000:]}", pytrace=False)
        time.sleep(0.1)


@pytest.fixture(scope="session")
def chromium_path() -> str:
    named = os.environ.get("CHROMIUM")
    found = next(filter(None, map(shutil.which, [named] if named else CHROMIUM_NAMES)), None)
    return found or is_missing("Chromium")


@pytest.fixture(scope="module")
def browser(chromium_path: str) -> Iterator[object]:
    """Chromium for one module, no longer: while it runs, asyncio.run and Django's ORM refuse to work beside it."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path, args=CHROMIUM_ARGUMENTS)
        yield browser
        browser.close()
