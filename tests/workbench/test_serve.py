"""The pages with their worker beside them: they start together, end together, and survive each other's faults."""

from __future__ import annotations

import argparse
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path

import pytest

from workbench import drain, supervisor
from workbench.cli import serve
from workbench.cli.errors import CliError

ROOT = Path(__file__).resolve().parents[2]
#: A child as the supervisor expects it: it ends when its standard input does.
FAITHFUL = "import os, sys; open(sys.argv[1], 'w').write(str(os.getpid())); os.read(0, 1)"


def wait_for(claim: Callable[[], bool], seconds: float = 20) -> None:
    deadline = time.monotonic() + seconds
    while not claim():
        assert time.monotonic() < deadline, "it did not come true in time"
        time.sleep(0.02)


def is_alive(pid: int) -> bool:
    """A process that has ended but was not waited for counts as gone."""
    try:
        os.kill(pid, 0)
        return subprocess.check_output(["ps", "-o", "stat=", "-p", str(pid)], text=True)[0] != "Z"
    except (ProcessLookupError, subprocess.CalledProcessError):
        return False


# --- the supervisor -------------------------------------------------------------------------------------------------


def test_a_child_that_dies_is_started_again_after_rests_that_double(tmp_path, monkeypatch):
    monkeypatch.setattr(supervisor, "SHORTEST_REST_SECONDS", 0.02)
    monkeypatch.setattr(supervisor, "LONGEST_REST_SECONDS", 0.08)
    said: list[str] = []
    starts = tmp_path / "starts"
    command = [sys.executable, "-c", f"open({str(starts)!r}, 'a').write('x'); raise SystemExit(3)"]
    watched = supervisor.Supervisor(command, env=os.environ, say=said.append)
    rests: list[float] = []
    monkeypatch.setattr(watched._ending, "wait", lambda seconds: rests.append(seconds))
    watched.start()
    wait_for(lambda: len(rests) >= 5)
    watched.stop()
    watched.join(10)
    assert rests[:5] == [0.02, 0.04, 0.08, 0.08, 0.08]
    assert said[0].startswith("The worker ended (exit 3). It starts again in ")
    assert len(starts.read_text()) >= 5


def test_stopping_ends_the_child_and_starts_no_other(tmp_path):
    pid = tmp_path / "pid"
    said: list[str] = []
    watched = supervisor.Supervisor([sys.executable, "-c", FAITHFUL, str(pid)], env=os.environ, say=said.append)
    watched.start()
    wait_for(lambda: pid.exists() and pid.read_text() != "")
    watched.stop()
    watched.join(10)
    assert not watched.is_alive()
    assert not is_alive(int(pid.read_text()))
    assert said == []


def test_a_child_that_will_not_end_is_killed(tmp_path, monkeypatch):
    monkeypatch.setattr(supervisor, "PATIENCE_SECONDS", 0.2)
    ready = tmp_path / "ready"
    stubborn = (
        "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); "
        f"open({str(ready)!r}, 'w').close(); time.sleep(60)"
    )
    said: list[str] = []
    watched = supervisor.Supervisor([sys.executable, "-c", stubborn], env=os.environ, say=said.append)
    watched.start()
    wait_for(ready.exists)
    watched.stop()
    assert watched.process.returncode == -signal.SIGKILL
    assert len(said) == 1


@pytest.mark.kill
def test_kill_9_of_the_parent_ends_the_child(tmp_path):
    pid = tmp_path / "pid"
    script = (
        "import os, sys, time; from workbench.supervisor import Supervisor; "
        f"command = [sys.executable, '-c', {FAITHFUL!r}, {str(pid)!r}]; "
        "Supervisor(command, env=os.environ, say=print).start(); time.sleep(60)"
    )
    parent = subprocess.Popen([sys.executable, "-c", script], cwd=ROOT)
    wait_for(lambda: pid.exists() and pid.read_text() != "")
    parent.kill()
    parent.wait()
    wait_for(lambda: not is_alive(int(pid.read_text())))


# --- the work -------------------------------------------------------------------------------------------------------

waiting = {"alice": 0, "bob": 0}
turns: list[str] = []


def drain_alice() -> int:
    turns.append("alice")
    return take("alice")


def drain_bob() -> int:
    turns.append("bob")
    return take("bob")


def drain_chuck() -> int:
    turns.append("chuck")
    raise RuntimeError("Chuck has no access")


def take(name: str) -> int:
    done = min(waiting[name], 2)
    waiting[name] -= done
    return done


@pytest.fixture
def work():
    """Alice has 5 things waiting, Bob 2; each turn does at most 2 of each."""
    waiting.update(alice=5, bob=2)
    turns.clear()
    return [f"{__name__}:drain_{name}" for name in ("alice", "bob", "chuck")]


def test_draining_once_takes_turns_until_nothing_waits(work):
    # Turns: 2 + 2, then 2 + 0, then 1 + 0, then 0: seven in all.
    assert drain.drain_once(work[:2]) == 7
    assert waiting == {"alice": 0, "bob": 0}
    assert turns == ["alice", "bob"] * 4


@pytest.mark.django_db  # The worker lets go of database connections that have grown old.
def test_a_kind_of_work_that_fails_rests_while_the_others_go_on(work, caplog):
    worker, stop = drain.Worker(work), drain.StopSign()
    assert [worker.turn(stop) for _ in range(4)] == [4, 2, 1, 0]
    assert turns.count("chuck") == 1
    assert "Chuck has no access" in caplog.text
    assert "It is tried again in 2 s." in caplog.text


def test_a_worker_told_to_stop_finishes_its_batch_and_takes_no_other(work, monkeypatch):
    worker, stop = drain.Worker(work[:2]), drain.StopSign()
    monkeypatch.setattr(sys.modules[__name__], "take", lambda name: stop.set() or 2)
    worker.work(stop)
    assert turns == ["alice"]


def test_a_stop_sign_wakes_who_waits_also_from_a_signal_handler():
    stop = drain.StopSign()
    before = signal.signal(signal.SIGUSR1, stop.set)
    try:
        started = time.monotonic()
        os.kill(os.getpid(), signal.SIGUSR1)
        stop.wait(30)
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert stop.is_set
    assert time.monotonic() - started < 5


def test_every_kind_of_work_can_be_found():
    assert all(callable(drain.find(name)) for name in drain.DRAINS)


# --- the address ----------------------------------------------------------------------------------------------------


def application(environ, start_response):
    start_response("200 OK", [("Content-Type", "text/plain")])
    return [f"{environ['wsgi.url_scheme']} {environ.get('HTTP_X_FORWARDED_PROTO')}".encode()]


def test_a_port_in_use_moves_to_the_next_and_says_so(capsys):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        server = serve.listen(application, "127.0.0.1", port)
    try:
        assert port < int(server.effective_port) < port + 50
        assert f"Port {port} is in use; {server.effective_port} is taken instead." in capsys.readouterr().err
    finally:
        server.close()


@pytest.mark.parametrize(("is_behind_a_proxy", "seen"), [(True, "https https"), (False, "http None")])
def test_only_behind_a_proxy_does_a_header_say_that_the_page_came_by_https(settings, is_behind_a_proxy, seen):
    settings.SECURE = is_behind_a_proxy
    server = serve.listen(application, "127.0.0.1", 0)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    address = f"http://127.0.0.1:{server.effective_port}/"
    request = urllib.request.Request(address, headers={"X-Forwarded-Proto": "https"})
    with urllib.request.urlopen(request, timeout=20) as answer:
        assert answer.read().decode() == seen
    server.trigger.pull_trigger(server.close)  # In the server's own thread, which ends with it.
    thread.join(20)


def test_a_host_that_is_not_this_machine_is_one_sentence():
    with pytest.raises(CliError, match=r"Cannot listen on 192\.0\.2\.1:0: "):
        serve.listen(application, "192.0.2.1", 0)


@pytest.mark.parametrize("host", ["nosuchhost.invalid", "no host", "x" * 300])
def test_a_host_that_is_none_is_one_sentence(host):
    with pytest.raises(CliError, match=f"Cannot listen on {host}:0: there is no such host here") as caught:
        serve.listen(application, host, 0)
    assert caught.value.code == 4


@pytest.mark.parametrize("port", ["http", "-1", "65536", "80.5"])
def test_a_port_that_is_none_is_refused_by_its_value(port, monkeypatch):
    monkeypatch.setenv("WORKBENCH_PORT", port)
    with pytest.raises(CliError, match=re.escape(f"{port!r} is no port")):
        serve.chosen_address(argparse.Namespace(host=None, port=None))


# --- all together ---------------------------------------------------------------------------------------------------


class Served:
    """``workbench serve`` in a process of its own."""

    def __init__(self, home: Path, *arguments: str) -> None:
        self.home, self.log = home, home / "serve.log"
        kept = {
            name: value for name, value in os.environ.items() if "WORKBENCH_" not in name and name != "DATABASE_URL"
        }
        self.process = subprocess.Popen(
            [sys.executable, "-m", "workbench.cli", "serve", "--port", "0", *arguments],
            cwd=ROOT,
            env={**kept, "WORKBENCH_HOME": str(home), "PYTHONUNBUFFERED": "1"},
            stdout=subprocess.PIPE,
            stderr=self.log.open("w"),
            text=True,
        )
        self.said = ""

    def address(self) -> str:
        for line in self.process.stdout:
            self.said += line
            if "Stop it with Ctrl-C." in line:
                return re.search(r"http://\S+/", self.said)[0]
        raise AssertionError(self.log.read_text())

    def worker(self) -> int:
        """The process id of the worker."""
        found: list[str] = []

        def has_one() -> bool:
            found[:] = subprocess.run(
                ["ps", "-o", "pid=", "--ppid", str(self.process.pid)], capture_output=True, text=True
            ).stdout.split()
            return len(found) == 1

        wait_for(has_one)
        return int(found[0])


@pytest.fixture(scope="module")
def migrated_home(tmp_path_factory) -> Path:
    home = tmp_path_factory.mktemp("migrated")
    subprocess.run(
        [sys.executable, "-m", "workbench.cli", "migrate", "--quiet"],
        cwd=ROOT,
        env={**os.environ, "WORKBENCH_HOME": str(home)},
        check=True,
        timeout=120,
    )
    return home


@pytest.fixture
def start(migrated_home, tmp_path):
    started: list[Served] = []

    def start(*arguments: str) -> Served:
        home = shutil.copytree(migrated_home, tmp_path / f"home{len(started)}")
        started.append(Served(home, *arguments))
        return started[-1]

    yield start
    for served in started:
        served.process.kill()
        served.process.wait()


@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGINT])
def test_serving_tells_where_and_how_to_sign_in_and_ends_with_its_worker(start, sign):
    served = start()
    address = served.address()
    with urllib.request.urlopen(address + "healthz", timeout=20) as answer:
        assert answer.status == 200
    password = served.home / "admin_password"
    assert f"Sign in as admin; the first password is in {password}" in served.said
    assert password.stat().st_mode & 0o777 == 0o600
    worker = served.worker()
    served.process.send_signal(sign)
    assert served.process.wait(40) == 0
    assert not is_alive(worker)
    assert served.log.read_text() == ""


@pytest.mark.kill
def test_a_killed_worker_comes_back_and_a_killed_server_takes_its_worker_along(start):
    served = start()
    served.address()
    first = served.worker()
    os.kill(first, signal.SIGKILL)
    wait_for(lambda: "The worker ended (signal 9). It starts again in 1 s." in served.log.read_text())
    second = served.worker()
    assert second != first
    served.process.kill()
    served.process.wait()
    wait_for(lambda: not is_alive(second))


def test_without_a_worker_there_is_none(start):
    served = start("--no-worker")
    served.address()
    assert subprocess.run(["ps", "-o", "pid=", "--ppid", str(served.process.pid)], capture_output=True).stdout == b""


def test_a_database_behind_this_version_is_refused_with_the_fix(tmp_path):
    served = Served(tmp_path)
    assert served.process.wait(60) == 1
    assert re.search(r"behind this version: \d+ migrations are missing. Run: workbench migrate", served.log.read_text())
