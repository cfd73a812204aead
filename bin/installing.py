"""Virtual environments with exactly the packages that a requirements file pins. Standard library only.

What is done is remembered in the venv (``installed.json``) and not done again; what was cut short (the file
``unfinished``) is done anew, since pip takes a half-written package for an installed one.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).resolve().parent.parent
LOG = ROOT / "var" / "install.log"
#: a file of requirements -> another whose packages it holds as well, in the same versions (a test compares them)
COVERS = {"requirements-dev.txt": "requirements.txt"}
#: what pip or Python says -> what to do about it
FIXES = {
    r"No space left on device": "The disk is full: the packages need about 1 GB here, and pip some more in TMPDIR.",
    r"quota exceeded": "Your disk quota is used up: the packages need about 1 GB here.",
    r"Permission denied": "A file cannot be written. Use a checkout, and a TMPDIR, that you may write to.",
    r"DO NOT MATCH THE HASHES": "A package is not the one that is pinned. Empty pip's cache"
    " (python3 -m pip cache purge) and run this again; if it stays so, your package index serves other files.",
    r"NewConnectionError|Name or service not known|name resolution|timed out|ProxyError|SSLError": "The package index"
    " cannot be reached. Look at the network, and at PIP_INDEX_URL and HTTPS_PROXY if you use them.",
    r"No matching distribution found": "The package index has no such file for this Python and machine (3.11 to 3.13"
    " fit best), or it cannot be reached.",
}


class Stop(SystemExit):
    """A sentence for the person on stderr, and exit code 1."""


class Venv:
    """A virtual environment in the checkout, for one file of requirements and perhaps the project itself."""

    def __init__(self, folder: str, requirements: str, *, with_project: bool = True) -> None:
        self.path = ROOT / folder
        self.requirements = requirements
        self.needs = [requirements, *(["pyproject.toml"] if with_project else [])]
        self.python = self.path / "bin" / "python"
        self.stamp = self.path / "installed.json"
        self.unfinished = self.path / "unfinished"

    def key(self, name: str) -> str:
        """Changes with the file, with the Python behind the venv, and with its place (scripts in it name that)."""
        place = f"{self.path}\n{os.path.realpath(self.python)}\n"
        return hashlib.sha256(place.encode() + (ROOT / name).read_bytes()).hexdigest()

    def remembered(self) -> dict[str, str]:
        try:
            return dict(json.loads(self.stamp.read_text()))
        except (OSError, ValueError):
            return {}

    def holds(self, name: str) -> bool:
        is_whole = self.python.exists() and not self.unfinished.exists()
        return is_whole and self.remembered().get(name) == self.key(name)

    def is_ready(self) -> bool:
        return all(self.holds(name) for name in self.needs)

    def run(self, *command: str) -> int:
        return subprocess.call([str(self.path / "bin" / command[0]), *command[1:]], cwd=ROOT)  # noqa: S603

    def become(self, *command: str) -> NoReturn:
        """Go on as a command of the venv: it gets the signals, and its exit code is ours."""
        sys.stdout.flush()
        os.execv(self.path / "bin" / command[0], list(command))  # noqa: S606


def prepare(venv: Venv) -> Venv:
    """Install what is missing, step by step; every way this can fail ends in a sentence."""
    try:
        if not venv.is_ready():
            LOG.parent.mkdir(exist_ok=True)
            with _alone(LOG.with_name("install.lock")) as lock:
                if not venv.is_ready():  # Another install may just have done it.
                    _install(venv, Steps(len(venv.needs) + 1, lock))
    except KeyboardInterrupt:
        raise Stop("\nStopped. Run the same command again to go on.") from None
    except OSError as error:
        raise Stop(f"{error.strerror}: {error.filename}\n{_fix(os.strerror(error.errno or errno.EIO))}") from error
    return venv


@contextmanager
def _alone(path: Path) -> Iterator[int]:
    """One install at a time. pip inherits the lock: when this script is killed, the next one waits for that pip."""
    try:
        import fcntl
    except ImportError:
        raise Stop("This runs on Linux and macOS. On Windows use WSL.") from None
    with path.open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("Another install is running here. Waiting until it ends.", flush=True)
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield lock.fileno()


def _install(venv: Venv, steps: Steps) -> None:
    LOG.write_text("")
    _make(venv, steps)
    pip = _pip(venv, steps)
    packages = f"packages of {venv.requirements}"
    done = {name: key for name, key in venv.remembered().items() if venv.holds(name)}
    if venv.holds(venv.requirements):
        steps.skip(packages)
    else:
        done = {}
        venv.unfinished.touch()
        options = ["--require-hashes", "--progress-bar", "off", "--requirement", venv.requirements]
        steps.run(packages, [*pip, "install", *options], Progress(venv))
    if "pyproject.toml" in venv.needs:
        venv.unfinished.touch()
        # Built by the setuptools that is pinned and installed by now: this needs no network.
        options = ["--no-deps", "--no-build-isolation", "--no-index", "--editable", "."]
        steps.run("the workbench itself", [*pip, "install", *options])
    _remember(venv, done)


def _remember(venv: Venv, done: dict[str, str]) -> None:
    covered = [COVERS[venv.requirements]] if venv.requirements in COVERS else []
    venv.stamp.write_text(json.dumps(done | {name: venv.key(name) for name in [*venv.needs, *covered]}, indent=1))
    venv.unfinished.unlink(missing_ok=True)


def _make(venv: Venv, steps: Steps) -> None:
    title = f"virtual environment {venv.path.name}"
    if venv.unfinished.exists():
        print("The last install was cut short. Starting it anew.", flush=True)
    elif venv.python.exists() and steps.succeeds(
        [str(venv.python), "-c", "import sys; sys.exit(sys.version_info < (3, 11))"]
    ):
        return steps.skip(title)
    elif venv.path.exists() and not venv.stamp.exists():
        raise Stop(f"{venv.path} is there already and holds no working Python 3.11. Move it away, then run this again.")
    if find_spec("venv") is None:
        raise Stop("This Python has no venv module. " + _get("python3-venv"))
    shutil.rmtree(venv.path, ignore_errors=True)
    venv.path.mkdir()
    venv.unfinished.touch()
    # Debian keeps ensurepip apart; the pip outside can install into the venv as well.
    without_pip = ["--without-pip"] if find_spec("ensurepip") is None else []
    return steps.run(title, [sys.executable, "-m", "venv", *without_pip, str(venv.path)])


def _pip(venv: Venv, steps: Steps) -> list[str]:
    """The venv's own pip, else the pip of this Python, working on the venv."""
    quiet = ["--disable-pip-version-check", "--no-input"]
    inside = [str(venv.python), "-m", "pip", *quiet]
    outside = [sys.executable, "-m", "pip", *quiet, "--python", str(venv.python)]
    for pip in (inside, outside):
        if steps.succeeds([*pip, "--version"]):
            return pip
    raise Stop("This Python has no pip, or one older than 22.3. " + _get("python3-venv"))


def _get(package: str) -> str:
    if shutil.which("apt-get"):
        return f"Install it (apt-get install {package}), then run this again."
    return f"Install it with your system's packages ({package} or the like), then run this again."


class Steps:
    """Numbered steps: what is done, how far it is, how long it took. The noise goes to the log."""

    def __init__(self, total: int, lock: int) -> None:
        self.total, self.lock, self.number = total, lock, 0
        self.is_live = sys.stdout.isatty()

    def skip(self, title: str) -> None:
        self.number += 1
        self._say(title, "there already")

    def run(self, title: str, command: list[str], progress: Progress | None = None) -> None:
        self.number += 1
        started = told = time.monotonic()
        self._say(title, "...", stays=False)
        process = self._start(command)
        try:
            while _is_running(process):
                if progress and (self.is_live or time.monotonic() - told >= 10):
                    told = time.monotonic()
                    self._say(title, f"{progress.now()}, {told - started:.0f} s", stays=False)
        except KeyboardInterrupt:
            process.kill()
            process.wait()
            raise
        if process.returncode:
            raise Stop(_explain(title))
        self._say(title, f"{progress.total() if progress else ''}{time.monotonic() - started:.0f} s")

    def succeeds(self, command: list[str]) -> bool:
        return self._start(command).wait() == 0

    def _start(self, command: list[str]) -> subprocess.Popen[bytes]:
        with LOG.open("ab") as log:
            return subprocess.Popen(  # noqa: S603
                command,
                cwd=ROOT,
                env=_environment(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                pass_fds=[self.lock],
            )

    def _say(self, title: str, text: str, *, stays: bool = True) -> None:
        line = f"[{self.number}/{self.total}] {title}: {text}"
        print(f"\r\033[K{line}" if self.is_live else line, end="" if self.is_live and not stays else "\n", flush=True)


def _is_running(process: subprocess.Popen[bytes]) -> bool:
    try:
        process.wait(timeout=0.3)
    except subprocess.TimeoutExpired:
        return True
    return False


def _environment() -> dict[str, str]:
    """The person's own PIP_ settings, less those that would put the packages anywhere but into the venv."""
    elsewhere = {"PYTHONPATH", "PYTHONHOME", "PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "PIP_PYTHON", "PIP_REQUIRE_HASHES"}
    return {name: value for name, value in os.environ.items() if name not in elsewhere} | {"PIP_USER": "0"}


class Progress:
    """How far pip is: it names what it collects in its log, and each package it has installed leaves a RECORD."""

    def __init__(self, venv: Venv) -> None:
        self.venv = venv
        self.pins = len(re.findall(r"^[\w.\[\],-]+==", (ROOT / venv.requirements).read_text(), re.MULTILINE))
        self.present = self._records()

    def now(self) -> str:
        text = LOG.read_text(errors="replace")
        installing = re.search(r"^Installing collected packages: (.*)$", text, re.MULTILINE)
        if not installing:
            wanted = self.pins - len(re.findall(r"^Ignoring ", text, re.MULTILINE))
            collected = len(re.findall(r"^(?:Collecting|Processing|Requirement already) ", text, re.MULTILINE))
            return f"collected {min(collected, wanted)} of {wanted}"
        total = installing[1].count(",") + 1
        return f"installed {min(self._records() - self.present, total)} of {total}"

    def total(self) -> str:
        installed = re.search(r"^Successfully installed (.*)$", LOG.read_text(errors="replace"), re.MULTILINE)
        return f"{len(installed[1].split())} installed, " if installed else ""

    def _records(self) -> int:
        return sum(1 for _ in self.venv.path.glob("lib/python*/site-packages/*.dist-info/RECORD"))


def _explain(title: str) -> str:
    """The end of the log without addresses, then what to do."""
    text = LOG.read_text(errors="replace")
    lines = [re.sub(r"https?://\S+", "(package index)", line) for line in text.splitlines() if line.strip()]
    tail = "\n".join(f"    {line[:300]}" for line in lines[-12:])
    return f"\n{tail}\n\n{title}: this step failed. {_fix(text)}\nThe whole log: {LOG}"


def _fix(text: str) -> str:
    return next((fix for sign, fix in FIXES.items() if re.search(sign, text, re.IGNORECASE)), "")
