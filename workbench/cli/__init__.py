"""The command line. Each command is one module, imported only when it is called: ``gate`` must start at once."""

from __future__ import annotations

import argparse
import errno
import importlib
import os
import sys
from collections.abc import Sequence
from types import ModuleType

from workbench.cli.errors import CliError
from workbench.cli.output import warn

#: Command -> its module: HELP, configure(parser), run(args) -> int, and NEEDS_DJANGO = False where it needs none.
COMMANDS = {
    "demo": "workbench.cli.demo",
    "serve": "workbench.cli.serve",
    "worker": "workbench.cli.worker",
    "migrate": "workbench.cli.migrate",
    "user": "workbench.cli.user",
    "import": "workbench.cli.imports",
    "sample": "workbench.cli.sample",
    "round": "workbench.cli.round",
    "labels": "workbench.cli.labels",
    "evaluate": "workbench.cli.evaluate",
    "calibrate": "workbench.cli.calibrate",
    "agreement": "workbench.cli.agreement",
    "export": "workbench.cli.export",
    "gate": "workbench.cli.gate",
}

#: What is no defect of ours: the disk is full, over quota, broken or read-only.
DISK_TROUBLE = {errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS, errno.EFBIG}

#: How SQLite and PostgreSQL say that the database itself is the trouble.
DATABASE_TROUBLE = (
    *("locked", "unable to open", "connect", "is full", "no space left", "disk i/o error", "i/o error"),
    *("is not a database", "malformed", "readonly", "read-only", "shutting down", "starting up", "out of memory"),
)

#: What a shell shows for a command that died of a closed pipe.
BROKEN_PIPE = 141


class Parser(argparse.ArgumentParser):
    """Bad usage is exit 4, as for every bad input; argparse's own 2 means "not measured" to the gate."""

    def error(self, message: str) -> None:  # type: ignore[override]
        raise CliError(f"{message} (see {self.prog} --help)")


def main(argv: Sequence[str] | None = None) -> int:
    given = list(sys.argv[1:] if argv is None else argv)
    try:
        code = _run(given)
        _flush()
        return code
    except BrokenPipeError:
        # Whoever read our output has left, as `head` does. Nothing was wrong with what was asked.
        code = 4 if given[:1] == ["gate"] else BROKEN_PIPE  # the gate has codes of its own
    except KeyboardInterrupt:
        warn("workbench: stopped")
        code = 130
    except Exception as error:
        told = _told(error)
        if told is None:
            raise
        warn(f"workbench: {told}")
        code = told.code
    _put_away_broken_output()
    return code


def _flush() -> None:
    """Now, while an error can still be told: the interpreter's own flush at the end would only print a traceback."""
    if sys.stdout is not None:
        sys.stdout.flush()


def _put_away_broken_output() -> None:
    try:
        _flush()
    except OSError:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115  the interpreter flushes it once more at its end


def _run(argv: list[str]) -> int:
    if not argv or argv[0] in {"-h", "--help", "help"}:
        print(_overview())
        return 0
    if argv[0] == "--version":
        from importlib.metadata import version

        print(version("judge-workbench"))
        return 0
    name = argv[0]
    if name not in COMMANDS:
        raise CliError(f"there is no command {name!r}. The commands are: {', '.join(COMMANDS)}")
    module = importlib.import_module(COMMANDS[name])
    parser = Parser(prog=f"workbench {name}", description=module.HELP)
    module.configure(parser)
    args = parser.parse_args(argv[1:])
    if getattr(module, "NEEDS_DJANGO", True):
        set_up_django()
    return int(module.run(args))


def _told(error: Exception) -> CliError | None:
    """A disk or a database that cannot be used, in one sentence; None for a defect, which keeps its traceback."""
    if isinstance(error, CliError):
        return error
    if isinstance(error, OSError) and error.errno in DISK_TROUBLE:
        return CliError(f"{error.filename or 'the output'}: cannot be written ({error.strerror})")
    kinds = {base.__name__ for base in type(error).__mro__ if base.__module__ == "django.db.utils"}
    return _database_trouble(kinds, str(error).strip()) if kinds else None


def _database_trouble(kinds: set[str], text: str) -> CliError | None:
    lower = text.casefold()
    if "no such table" in lower or ("does not exist" in lower and "connection" not in lower):
        return CliError("the database is not set up for this version. Run: workbench migrate")
    if "no such column" in lower or "has no column" in lower:
        return CliError("the database is behind this version. Run: workbench migrate")
    if "DataError" in kinds:
        return CliError(f"a value does not fit into the database: {text}")
    if kinds & {"IntegrityError", "ProgrammingError"}:
        return None
    if any(words in lower for words in DATABASE_TROUBLE):
        return CliError(f"the database cannot be used: {text}")
    return None


def set_up_django() -> None:
    """Load the settings and the apps; a wrong setting is told in one sentence."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "workbench.settings")
    import django
    from django.core.exceptions import ImproperlyConfigured

    try:
        django.setup()
    except ImproperlyConfigured as error:
        raise CliError(str(error)) from error


def _overview() -> str:
    lines = ["usage: workbench COMMAND ...", ""]
    for name, path in COMMANDS.items():
        lines.append(f"  {name:<10} {_help_line(importlib.import_module(path))}")
    return "\n".join([*lines, "", "workbench COMMAND --help tells the rest."])


def _help_line(module: ModuleType) -> str:
    return str(module.HELP).splitlines()[0]
