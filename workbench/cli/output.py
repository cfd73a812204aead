"""What commands print and write: JSON for machines on stdout, sentences and progress for people, files whole or not."""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

from workbench.cli.errors import CliError


def emit_json(value: Any) -> None:
    """Valid JSON only: NaN or Infinity in a document is a defect, so it raises."""
    emit_text(_json_text(value) + "\n")


def emit_text(text: str) -> None:
    """What was asked for, as it is. Where nobody can take it, the command has not done its work."""
    if sys.stdout is None:
        raise CliError("the standard output is closed, so nothing can be printed")
    sys.stdout.write(text)


def _json_text(value: Any) -> str:
    """Letters as letters; what a terminal or a CI log could take for a command is escaped, which JSON reads alike."""
    text = json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False)
    text = re.sub(r"[^\x20-\x7e\n]", lambda found: _escaped(found[0]), text).replace("##", "#\\u0023")
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return json.dumps(value, indent=2, allow_nan=False)
    return text


def _escaped(letter: str) -> str:
    return letter if letter.isprintable() else json.dumps(letter)[1:-1]


def say(text: str = "") -> None:
    """One line, whatever the values in it. With the output closed there is nobody to tell."""
    if sys.stdout is not None:
        sys.stdout.write(_encodable(one_line(text), sys.stdout) + "\n")


def say_lines(text: str) -> None:
    """A text of several lines that we wrote ourselves."""
    for line in text.split("\n"):
        say(line)


def warn(text: str) -> None:
    """A warning that cannot be printed changes nothing: the exit code says the rest."""
    if sys.stderr is None:
        return
    try:
        sys.stderr.write(_encodable(one_line(text), sys.stderr) + "\n")
        sys.stderr.flush()
    except OSError:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115  the interpreter flushes it once more at its end


def one_line(text: str) -> str:
    """One line that neither a terminal nor a CI log takes for a command.

    Control, bidi and other invisible characters are spelled out. A ``::`` that starts the line and a ``##`` before
    a bracket, which are commands to CI systems, are broken by a space.

    >>> one_line("a\\n::error::b")
    'a\\\\n::error::b'
    >>> one_line("  ::error::b ##[group]c ## d")
    '  : :error::b # #[group]c ## d'
    """
    if not text.isprintable():
        text = "".join(_spelled_out(letter) for letter in text)
    return re.sub(r"^( *):(?=:)|#(?=#\w*\[)", lambda found: f"{found[0]} ", text)


def _spelled_out(letter: str) -> str:
    if letter.isprintable():
        return letter
    is_space = letter.isspace() and letter not in "\r\n\v\f\x1c\x1d\x1e\x1f\x85\u2028\u2029"
    return " " if is_space else letter.encode("unicode_escape").decode("ascii")


def _encodable(text: str, stream: Any) -> str:
    """A console that lacks a letter gets its escape."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding)


def refuse_overwriting(outputs: Mapping[str, str | Path | None], inputs: Iterable[str | Path] = ()) -> None:
    """Each option's file is one of its own, and none of those that are read."""
    taken = {os.path.realpath(path): "is what is read" for path in inputs}
    for option, path in outputs.items():
        if path is None:
            continue
        if problem := taken.get(os.path.realpath(path)):
            raise CliError(f"{option} {path}: {problem}; give another path")
        taken[os.path.realpath(path)] = f"is the file of {option} already"


def write_file(path: str | Path, content: bytes) -> None:
    with open_output(path) as stream:
        stream.write(content)


@contextmanager
def open_output(path: str | Path) -> Iterator[BinaryIO]:
    """Written beside and then renamed: a disk that is full leaves the file as it was, or none."""
    try:
        with _direct(path) if _is_written_in_place(path) else _beside(path) as stream:
            yield stream
    except BrokenPipeError:
        raise
    except OSError as error:
        raise CliError(f"{path}: cannot be written ({error.strerror or error})") from error


def _is_written_in_place(path: str | Path) -> bool:
    """A device or a pipe cannot be renamed over, nor a file in a folder that takes no new one."""
    if not os.path.exists(path):
        return False
    target = os.path.realpath(path)
    return str(path).startswith("/dev/") or not os.path.isfile(path) or not os.access(os.path.dirname(target), os.W_OK)


def _direct(path: str | Path) -> BinaryIO:
    return open(path, "wb")


@contextmanager
def _beside(path: str | Path) -> Iterator[BinaryIO]:
    target = os.path.realpath(path)  # a link stays a link
    partial = os.path.join(os.path.dirname(target), f".workbench-{secrets.token_hex(8)}.part")
    try:
        with open(partial, "xb") as stream:
            yield stream
        if os.path.exists(target):
            shutil.copymode(target, partial)
        os.replace(partial, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(partial)
        raise


class Progress:
    """A line on stderr that is redrawn in a terminal, at most five times a second, and silent in a log."""

    def __init__(self, what: str, total: int | None = None) -> None:
        self.what, self.total, self.drawn_at = what, total, 0.0
        self.is_live = sys.stderr.isatty()

    def __call__(self, done: int) -> None:
        now = time.monotonic()
        if not self.is_live or now - self.drawn_at < 0.2:
            return
        self.drawn_at = now
        of = f" of {self.total:,} ({done / self.total:.0%})" if self.total else ""
        sys.stderr.write(f"\r\033[K{self.what}: {done:,}{of}")
        sys.stderr.flush()

    def close(self) -> None:
        if self.is_live and self.drawn_at:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()
