"""The way from a fresh checkout to a venv: what is done once, what is done anew, and every refusal's sentence.

A checkout here is a copy of bin/ with one package, made on the spot, in place of the real requirements.
"""

from __future__ import annotations

import ast
import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NAME = "cheer"


class Checkout:
    """A folder with bin/, a requirements file for the peers' venv, and the one wheel that it pins."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        shutil.copytree(ROOT / "bin", folder / "bin", ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(ROOT / "Makefile", folder)
        self.wheels = folder / "wheels"
        self.wheels.mkdir()
        self.venv = folder / ".venv-peers"
        self.stamp, self.unfinished = self.venv / "installed.json", self.venv / "unfinished"
        self.pin("1.0")

    def pin(self, version: str) -> None:
        wheel = self.wheels / f"{NAME}-{version}-py3-none-any.whl"
        info = f"{NAME}-{version}.dist-info"
        with zipfile.ZipFile(wheel, "w") as archive:
            archive.writestr(f"{NAME}.py", f"VERSION = {version!r}\n")
            archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {NAME}\nVersion: {version}\n")
            archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
            archive.writestr(f"{info}/RECORD", "")
        self.require(version, hashlib.sha256(wheel.read_bytes()).hexdigest())

    def require(self, version: str, digest: str) -> None:
        (self.folder / "requirements-peers.txt").write_text(f"{NAME}=={version} \\\n    --hash=sha256:{digest}\n")

    def start(self, *, python: str = sys.executable, **environment: str) -> subprocess.Popen[str]:
        """Install. (A venv without ensurepip is made in a tenth of the time, so most tests do without.)"""
        script = (
            "import installing as i; i.prepare(i.Venv('.venv-peers', 'requirements-peers.txt', with_project=False))"
        )
        return subprocess.Popen(
            [python, "-c", script],
            cwd=self.folder / "bin",
            env=self.environment(**environment),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def environment(self, **environment: str) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("PIP_", "PYTHON"))}
        return {**kept, "PIP_CONFIG_FILE": os.devnull, "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": "wheels", **environment}

    def install(self, **options: str) -> tuple[int, str]:
        process = self.start(**options)
        output, _ = process.communicate(timeout=120)
        return process.returncode, output

    def version(self) -> str:
        question = f"import {NAME}; print({NAME}.VERSION, {NAME}.__cached__)"
        answer = subprocess.check_output([self.venv / "bin" / "python", "-B", "-c", question], text=True)
        version, _, cached = answer.strip().partition(" ")
        assert Path(cached).exists(), "installed without bytecode"
        return version


@pytest.fixture
def checkout(tmp_path) -> Checkout:
    """A checkout whose path has a space in it."""
    folder = tmp_path / "my checkout"
    folder.mkdir()
    return Checkout(folder)


@pytest.fixture
def without(tmp_path):
    """Environment variables that make Python miss modules, as Debian's does where python3-venv is not installed."""

    def hide(*modules: str) -> dict[str, str]:
        folder = tmp_path / "hidden"
        folder.mkdir(exist_ok=True)
        (folder / "sitecustomize.py").write_text(
            "import importlib.util, sys\n"
            f"hidden = {modules!r}\n"
            "find = importlib.util.find_spec\n"
            "importlib.util.find_spec = lambda name, *rest: None if name in hidden else find(name, *rest)\n"
            "sys.modules.update(dict.fromkeys(hidden))\n"
        )
        return {"PYTHONPATH": str(folder)}

    return hide


def test_a_second_run_does_nothing_and_says_nothing(checkout):
    code, output = checkout.install()
    assert code == 0, output
    assert re.search(r"\[1/2\] virtual environment .venv-peers: \d+ s\n", output)
    assert re.search(r"\[2/2\] packages of requirements-peers.txt: 1 installed, \d+ s\n", output)
    assert checkout.version() == "1.0"
    assert checkout.install() == (0, "")


def test_python_without_ensurepip_installs_with_its_own_pip(checkout, without):
    code, output = checkout.install(**without("ensurepip"))
    assert code == 0, output
    assert checkout.version() == "1.0"
    assert not list(checkout.venv.glob("lib/*/site-packages/pip"))


def test_new_requirements_are_installed_over_the_old_ones(checkout, without):
    checkout.install(**without("ensurepip"))
    checkout.pin("2.0")
    code, output = checkout.install()
    assert "virtual environment .venv-peers: there already" in output
    assert (code, checkout.version()) == (0, "2.0")


def test_a_moved_checkout_gets_a_venv_for_its_new_place(checkout, without):
    checkout.install(**without("ensurepip"))
    checkout.folder = checkout.folder.rename(checkout.folder.with_name("moved"))
    code, output = checkout.install(**without("ensurepip"))
    assert code == 0
    assert "packages of requirements-peers.txt: " in output


def test_what_pip_left_half_written_is_done_anew(checkout, without):
    # As after kill -9: the package counts as installed for pip, yet its module is missing.
    checkout.install(**without("ensurepip"))
    next(checkout.venv.glob(f"lib/*/site-packages/{NAME}.py")).unlink()
    checkout.unfinished.touch()
    code, output = checkout.install(**without("ensurepip"))
    assert "The last install was cut short. Starting it anew." in output
    assert (code, checkout.version()) == (0, "1.0")
    assert not checkout.unfinished.exists()


@pytest.mark.kill
def test_kill_9_during_the_install_is_made_good_by_the_next_run(checkout, without):
    process, log = checkout.start(**without("ensurepip")), checkout.folder / "var" / "install.log"
    while not (log.exists() and f"{NAME}-1.0" in log.read_text()):
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert not checkout.stamp.exists()
    code, output = checkout.install(**without("ensurepip"))
    assert "The last install was cut short. Starting it anew." in output
    assert (code, checkout.version()) == (0, "1.0")


def test_two_installs_at_once_take_turns(checkout, without):
    first, second = (checkout.start(**without("ensurepip")) for _ in range(2))
    outputs = [process.communicate(timeout=120)[0] for process in (first, second)]
    assert (first.returncode, second.returncode) == (0, 0), outputs
    assert sum("Another install is running here." in output for output in outputs) == 1
    assert sum("packages of" in output for output in outputs) == 1


def test_a_package_with_another_hash_is_refused(checkout, without):
    checkout.require("1.0", "0" * 64)
    code, output = checkout.install(**without("ensurepip"))
    assert code == 1
    assert "A package is not the one that is pinned." in output
    assert f"The whole log: {checkout.folder / 'var' / 'install.log'}" in output
    assert not checkout.stamp.exists()


def test_no_address_of_a_package_index_is_shown(checkout, without):
    # The discard port of this machine stands for an index out of reach.
    address = "http://127.0.0.1:9/simple"
    settings = {"PIP_NO_INDEX": "0", "PIP_FIND_LINKS": "", "PIP_INDEX_URL": address, "PIP_RETRIES": "1"}
    code, output = checkout.install(**without("ensurepip"), **settings)
    assert code == 1
    assert "The package index cannot be reached." in output
    assert "http" not in output
    assert address in (checkout.folder / "var" / "install.log").read_text()


def test_a_python_without_venv_is_answered_with_what_to_install(checkout, without):
    code, output = checkout.install(**without("venv"))
    assert code == 1
    assert "This Python has no venv module. " in output
    assert "python3-venv" in output


def test_a_python_without_pip_is_answered_with_what_to_install(checkout, without, tmp_path):
    bare = tmp_path / "bare"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", bare], check=True)
    code, output = checkout.install(python=str(bare / "bin" / "python"), **without("ensurepip"))
    assert code == 1
    assert "This Python has no pip" in output
    assert "python3-venv" in output


def test_a_folder_that_is_no_venv_is_left_alone(checkout):
    checkout.venv.mkdir()
    (checkout.venv / "notes.txt").write_text("Lena's")
    code, output = checkout.install()
    assert code == 1
    assert "is there already and holds no working Python 3.11. Move it away" in output
    assert (checkout.venv / "notes.txt").read_text() == "Lena's"


def test_settings_that_would_install_elsewhere_do_not(checkout, without, tmp_path):
    elsewhere = {"PIP_TARGET": str(tmp_path / "target"), "PIP_USER": "1", "PIP_PREFIX": str(tmp_path / "prefix")}
    code, output = checkout.install(**without("ensurepip"), **elsewhere)
    assert (code, checkout.version()) == (0, "1.0"), output


@pytest.mark.parametrize(
    ("number", "sentence"),
    [(28, "The disk is full: "), (13, "A file cannot be written. "), (122, "disk quota is used up")],
)
def test_a_failing_write_is_told_with_its_fix(checkout, number, sentence):
    # Full disks are hard to come by: the system's own error is raised where the venv is made.
    script = (
        "import os, installing as i\n"
        f"def fail(*_): raise OSError({number}, os.strerror({number}), '/some/file')\n"
        "i._make = fail\n"
        "i.prepare(i.Venv('.venv-peers', 'requirements-peers.txt', with_project=False))\n"
    )
    answer = subprocess.run(
        [sys.executable, "-c", script], cwd=checkout.folder / "bin", capture_output=True, text=True, timeout=60
    )
    assert answer.returncode == 1
    assert sentence in answer.stderr
    assert "/some/file" in answer.stderr
    assert "Traceback" not in answer.stderr


def test_an_old_python_can_read_the_script_and_is_told_what_is_needed(tmp_path, monkeypatch):
    source = (ROOT / "bin" / "bootstrap.py").read_text()
    ast.parse(source, feature_version=(3, 6))
    script = {"__name__": "bootstrap", "__file__": str(ROOT / "bin" / "bootstrap.py")}
    exec(compile(source, "bootstrap.py", "exec"), script)
    monkeypatch.setattr(sys, "version_info", (3, 9, 2, "final", 0))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SystemExit) as refusal:
        script["use_a_fitting_python"]()
    assert "Python 3.11 or newer is needed. This is 3.9.2" in str(refusal.value)
    assert "make demo PYTHON=" in str(refusal.value)


def test_an_unknown_command_shows_the_usage():
    answer = subprocess.run([sys.executable, ROOT / "bin" / "bootstrap.py", "fly"], capture_output=True, text=True)
    assert (answer.returncode, answer.stdout) == (4, "")
    assert answer.stderr.startswith("usage: python3 bin/bootstrap.py COMMAND")


def test_make_passes_its_command_and_arguments_on():
    if not shutil.which("make"):
        pytest.skip("make is not installed: the test on it is skipped")
    # These tests may themselves have been started by make, which tells its children in the environment.
    clean = {name: value for name, value in os.environ.items() if not name.startswith("MAKE") and name != "PYTHON"}
    command = ["make", "-n", "test", "ARGS=-k 'a or b'"]
    dry = subprocess.run(command, cwd=ROOT, env=clean, capture_output=True, text=True)
    assert dry.stdout.strip() == "python3 bin/bootstrap.py test -k 'a or b'"


def test_the_installed_command_runs_through_a_link_and_names_the_fix_when_absent(checkout, tmp_path):
    link = tmp_path / "workbench"
    link.symlink_to(checkout.folder / "bin" / "workbench")
    absent = subprocess.run([link], capture_output=True, text=True)
    assert absent.returncode == 4
    assert f'python3 "{checkout.folder}/bin/bootstrap.py" install' in absent.stderr

    installed = checkout.folder / ".venv" / "bin" / "workbench"
    installed.parent.mkdir(parents=True)
    installed.write_text('#!/bin/sh\necho "$2"\nexit 3\n')
    installed.chmod(0o755)
    present = subprocess.run([link, "gate", "two words"], capture_output=True, text=True)
    assert (present.returncode, present.stdout) == (3, "two words\n")


def test_the_tools_of_development_come_with_the_very_packages_of_the_product():
    # installing.COVERS relies on it: after `make test`, `make demo` finds its packages installed.
    pins = {
        name: set(re.findall(r"^[\w.\[\],-]+==[^\\\n]+", (ROOT / name).read_text(), re.MULTILINE))
        for name in ("requirements.txt", "requirements-dev.txt")
    }
    assert len(pins["requirements.txt"]) > 50
    assert pins["requirements.txt"] <= pins["requirements-dev.txt"]
