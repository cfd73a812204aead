"""The command line. Each command is one module, imported only when it is called: ``gate`` must start at once."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Sequence
from types import ModuleType

from workbench.cli.errors import CliError

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


#: What a shell shows for a command that died of a closed pipe.
BROKEN_PIPE = 141


class Parser(argparse.ArgumentParser):
    """Bad usage is exit 4, as for every bad input; argparse's own 2 means "not measured" to the gate."""

    def error(self, message: str) -> None:  # type: ignore[override]
        raise CliError(f"{message} (see {self.prog} --help)")


def main(argv: Sequence[str] | None = None) -> int:
    given = list(sys.argv[1:] if argv is None else argv)
    try:
        return _run(given)
    except CliError as error:
        print(f"workbench: {_printable(str(error))}", file=sys.stderr)
        return error.code
    except BrokenPipeError:
        # Whoever read our output has left, as `head` does. Nothing was wrong with what was asked.
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115  the interpreter flushes it once more at its end
        return 4 if given[:1] == ["gate"] else BROKEN_PIPE  # the gate has codes of its own
    except KeyboardInterrupt:
        print("workbench: stopped", file=sys.stderr)
        return 130


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
    try:
        return int(module.run(args))
    except Exception as error:
        raise (_told(error) or error) from error


def _told(error: Exception) -> CliError | None:
    """A database that cannot be used, in one sentence; None for what is a defect and keeps its traceback."""
    if not any(base.__module__ == "django.db.utils" for base in type(error).__mro__):
        return None
    if "no such table" in str(error) or "does not exist" in str(error):
        return CliError("the database is not set up for this version. Run: workbench migrate")
    if "locked" in str(error) or "unable to open" in str(error) or "connect" in str(error):
        return CliError(f"the database cannot be reached: {error}")
    return None


def _printable(text: str) -> str:
    """Without line breaks and control characters: an argument must not write commands into a CI log."""
    return "".join(letter if letter.isprintable() else " " for letter in text)


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
