"""From a fresh checkout to a running workbench, with Python and pip alone: ``python3 bin/bootstrap.py demo``.

Standard library only, and it parses on Python 3.6: an old Python is answered with a sentence, not a syntax error.
"""

import atexit
import os
import shutil
import subprocess
import sys
import tempfile
import time
from typing import TYPE_CHECKING, List, Tuple  # noqa: UP035  for Python 3.6

if TYPE_CHECKING:
    from installing import Venv

Arguments = List[str]  # noqa: UP006
Checks = List[Tuple[str, List[str]]]  # noqa: UP006
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
OLDEST = (3, 11)
NEWER_NAMES = ("python3.13", "python3.12", "python3.11", "python3.14")
PACKAGES = ("cases", "labeling", "evaluation", "calibration", "workbench")
USAGE = """usage: python3 bin/bootstrap.py COMMAND [ARGUMENT ...]

  demo        install, load the demo project, serve it    (arguments go to `workbench demo`)
  serve       install, bring the database up to date, serve    (arguments go to `workbench serve`)
  install     make .venv and stop
  test        install with the tools of development; every check, every test    (arguments go to pytest)
  lint        the checks alone: ruff, import layers, types
  unit        the tests alone    (arguments go to pytest)
  test-peers  our numbers against independent libraries, in a venv of their own    (arguments go to pytest)
  bench-start    how long the gate and a second start of the demo take, as a table"""


def use_a_fitting_python() -> None:
    """Go on in this Python when it is new enough, else in a newer one that is installed beside it."""
    if sys.version_info[:2] >= OLDEST:
        return
    for name in NEWER_NAMES:
        path = shutil.which(name)
        if path and runs(path):
            os.execv(path, [path, os.path.join(ROOT, "bin", "bootstrap.py")] + sys.argv[1:])  # noqa: RUF005, S606
    found = "{}.{}.{} ({})".format(*sys.version_info[:3], sys.executable)
    sys.exit(
        "Python 3.11 or newer is needed. This is " + found + ", and no newer one was found on PATH.\n"
        "Install one (Debian, Ubuntu: apt-get install python3 python3-venv), "
        "or name it: make demo PYTHON=/path/to/python3.11"
    )


def runs(python: str) -> bool:
    """Whether it is there and starts: a shim of pyenv may not."""
    try:
        return subprocess.call([python, "-c", ""], stderr=subprocess.DEVNULL) == 0  # noqa: S603
    except OSError:
        return False


def main(arguments: Arguments) -> int:
    command, given = (arguments or ["--help"])[0], [value for value in arguments[1:] if value != "--"]
    if command in ("-h", "--help", "help"):
        print(USAGE)
        return 0
    if command not in COMMANDS:
        print(USAGE, file=sys.stderr)
        return 4
    os.chdir(ROOT)
    return COMMANDS[command](given)


def venv(requirements: str, folder: str = ".venv", with_project: bool = True) -> "Venv":
    """The installed virtual environment; only now is newer syntax read."""
    from installing import Venv, prepare

    return prepare(Venv(folder, requirements, with_project=with_project))


def demo(given: Arguments) -> int:
    return venv("requirements.txt").become("workbench", "demo", *given)


def serve(given: Arguments) -> int:
    installed = venv("requirements.txt")
    failed = installed.run("workbench", "migrate", "--quiet")
    return failed or installed.become("workbench", "serve", *given)


def install(given: Arguments) -> int:
    print("Installed in", venv("requirements.txt").path)
    return 0


def test(given: Arguments) -> int:
    return check(CHECKS + unit_checks(given))


def lint(given: Arguments) -> int:
    return check(CHECKS)


def unit(given: Arguments) -> int:
    return check(unit_checks(given))


def test_peers(given: Arguments) -> int:
    installed = venv("requirements-peers.txt", ".venv-peers", with_project=False)
    # Apart from the other tests: no Django here, hence no conftest from above, and none of the peers' own plugins.
    os.environ.update(PYTEST_DISABLE_PLUGIN_AUTOLOAD="1", DEEPEVAL_TELEMETRY_OPT_OUT="YES")
    alone = ["-c", os.devnull, "--rootdir", "tests/peers", "--confcutdir", "tests/peers", "-p", "no:cacheprovider"]
    return installed.run("python", "-m", "pytest", "-q", *alone, "tests/peers", *given)


CHECKS = [
    ("ruff check", ["ruff", "check", "."]),
    ("ruff format", ["ruff", "format", "--check", "."]),
    ("import layers", ["lint-imports"]),
    ("types", ["mypy", *PACKAGES, "bin/bootstrap.py", "bin/installing.py"]),
]


def unit_checks(given: Arguments) -> Checks:
    return [("tests", ["pytest", "-rs", *given])]  # -rs: why something was skipped, a line each


def check(checks: Checks) -> int:
    """Every check, also after one has failed; then the time of each."""
    installed, results = venv("requirements-dev.txt"), []
    use_a_home_of_their_own()
    for title, command in checks:
        print("--- " + title + ": " + " ".join(command), flush=True)
        started = time.monotonic()
        code = installed.run(*command)
        results.append((title, code, time.monotonic() - started))
    for title, code, seconds in results:
        print("{:<14} {:>6.1f} s  {}".format(title, seconds, "FAILED" if code else "ok"))
    return int(any(code for _, code, _ in results))


def use_a_home_of_their_own() -> None:
    """Tests and checks neither read nor write the state of a product that is in use here."""
    home = tempfile.mkdtemp(prefix="workbench-tests-")
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    os.environ["WORKBENCH_HOME"] = home
    for name in ("DATABASE_URL", "CELERY_BROKER_URL"):
        os.environ.pop(name, None)


def bench_start(given: Arguments) -> int:
    return venv("requirements-dev.txt").run("python", os.path.join("tests", "bench", "start.py"), *given)


COMMANDS = {
    "demo": demo,
    "serve": serve,
    "install": install,
    "test": test,
    "lint": lint,
    "unit": unit,
    "test-peers": test_peers,
    "bench-start": bench_start,
}

if __name__ == "__main__":
    use_a_fitting_python()
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
