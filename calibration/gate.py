"""The CI gate: do these scores pass the calibrated config? The exit code answers.

0 pass, 1 below the pass rate, 2 not measured, 3 the calibration does not apply, 4 bad input, bad usage or a
crash; 4 beats 3 beats 2 beats 1. Standard library only, here and in `calibration/gating/`: `export --format gate`
joins both into one file that runs without an installation.
"""

from __future__ import annotations

import argparse
import errno
import hashlib
import os
import re
import sys
import time
from collections.abc import Sequence
from datetime import date
from typing import TextIO

from calibration.gating.decision import BAD_INPUT, Options, Outcome, decide, refuse
from calibration.gating.files import InputError, as_text, is_standard_input, parse_json, printable, read_bytes
from calibration.gating.reports import json_text, junit_text, summary_text, text_lines
from calibration.gating.rules import Config, read_config
from calibration.gating.shapes import read_scores


class Parser(argparse.ArgumentParser):
    """argparse ends bad usage with 2, which is "not measured" here."""

    def error(self, message: str) -> None:  # type: ignore[override]
        raise InputError(f"{message} (see --help)")


def main(argv: Sequence[str] | None = None, *, embedded: str | None = None) -> int:
    """``embedded`` is the config of a one-file gate; such a gate takes no ``--config``."""
    parser = Parser(prog="gate", description="Do these scores pass the calibrated config?")
    configure(parser, has_config=embedded is not None)
    try:
        args = parser.parse_args(argv)
    except InputError as error:
        try:
            say(f"gate: {printable(error, 1000)}", sys.stderr)
        except OSError as unheard:
            return _unheard(unheard)
        return BAD_INPUT
    return run(args, embedded=embedded)


def configure(parser: argparse.ArgumentParser, *, has_config: bool = False) -> None:
    add = parser.add_argument
    if not has_config:
        add("--config", required=True, metavar="FILE", help="the calibrated config, as `export` writes it")
    add("--scores", required=True, metavar="FILE", help="JSON, CSV, a DeepEval test run or a promptfoo output")
    add("--junit", metavar="FILE", help="write the outcome there as JUnit XML")
    add("--summary", metavar="FILE", help="write the outcome there as Markdown")
    add("--json", action="store_true", help="print the outcome as JSON")
    add("--assume-evaluator", action="store_true", help="take scores that name no evaluator; uncalibrated")
    add("--allow-inconclusive", action="store_true", help="take an inconclusive calibration; uncalibrated")
    add("--expect-sha256", metavar="HASH", help="refuse any other config than the one with this hash")


def run(args: argparse.Namespace, *, embedded: str | None = None) -> int:
    """Whatever happens, an exit code of ours and one line; never a traceback."""
    try:
        return _tell(args, *_outcome(args, embedded))
    except InputError as error:
        outcome = refuse(str(error))
    except Exception as error:
        outcome = refuse(f"the gate itself failed: {type(error).__name__}: {error}")
    try:
        return _tell(args, outcome, None)
    except Exception:  # the reports cannot be written: that line alone
        return _print(outcome, None, as_json=args.json)


def _outcome(args: argparse.Namespace, embedded: str | None) -> tuple[Outcome, str]:
    name = "config" if embedded is not None else str(args.config)
    if is_standard_input(name) and is_standard_input(args.scores):
        raise InputError("--config and --scores cannot both be the standard input; give a file for one")
    raw = read_bytes(name, "--config") if embedded is None else embedded.encode()
    config_sha256 = hashlib.sha256(raw).hexdigest()
    _check_pin(args.expect_sha256, config_sha256, name)
    config = load_config(raw, name)
    scores = read_scores(read_bytes(args.scores, "--scores"), args.scores)
    options = Options(args.assume_evaluator, args.allow_inconclusive)
    return decide(config, scores, options, today=date(*time.gmtime()[:3])), config_sha256


def _tell(args: argparse.Namespace, outcome: Outcome, config_sha256: str | None) -> int:
    _write_files(args, outcome, config_sha256)
    return _print(outcome, config_sha256, as_json=args.json)


def load_config(raw: bytes, name: str) -> Config:
    return read_config(parse_json(as_text(raw, name), name), name)


def _check_pin(expected: str | None, found: str, name: str) -> None:
    if expected is None:
        return
    wanted = expected.strip().lower().removeprefix("sha256:")
    if not re.fullmatch("[0-9a-f]{64}", wanted):
        raise InputError(f"--expect-sha256: must be 64 hexadecimal digits, not {printable(expected)}")
    if wanted != found:
        raise InputError(f"{name}: its sha256 is {found}, not the expected {wanted}; this is another config")


def _write_files(args: argparse.Namespace, outcome: Outcome, config_sha256: str | None) -> None:
    """Also for bad input: a report left over from an earlier build would tell the wrong story."""
    texts = {"--junit": junit_text(outcome), "--summary": summary_text(outcome, config_sha256)}
    if args.junit is not None and args.summary is not None and _is_same_file(args.junit, args.summary):
        raise InputError(f"{args.junit}: given to --junit and to --summary, which would overwrite it; give two paths")
    for option, path in (("--junit", args.junit), ("--summary", args.summary)):
        if path is None:
            continue
        _refuse_to_overwrite(path, option, args)
        try:
            with open(path, "w", encoding="utf-8", newline="\n") as file:
                file.write(texts[option])
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or "this is no file name"
            raise InputError(f"{path}: cannot be written ({why}); check the path given to {option}") from None


def _refuse_to_overwrite(path: str, option: str, args: argparse.Namespace) -> None:
    """Neither an input nor, in a one-file gate, the gate itself."""
    inputs = [given for given in (getattr(args, "config", None), args.scores) if given]
    if any(_is_same_file(path, given) for given in inputs):
        raise InputError(f"{path}: {option} would overwrite an input; give another path")
    if _is_same_file(path, __file__):
        raise InputError(f"{path}: {option} would overwrite the gate itself; give another path")


def _is_same_file(one: str, other: str) -> bool:
    """Under whatever name: links and letter case included."""
    try:
        return os.path.realpath(one) == os.path.realpath(other) or os.path.samefile(one, other)
    except (OSError, ValueError):  # one of them is not there
        return False


def _print(outcome: Outcome, config_sha256: str | None, *, as_json: bool) -> int:
    try:
        if as_json:
            say(json_text(outcome, config_sha256), sys.stdout)
        lines = text_lines(outcome, config_sha256 or "")
        if not as_json or outcome.code == BAD_INPUT:
            say("\n".join(lines), sys.stderr if outcome.code == BAD_INPUT else sys.stdout)
    except OSError as error:  # nobody reads what we print: the build must not take that for a pass
        return _unheard(error)
    return outcome.code


def _unheard(error: OSError) -> int:
    """Said on the other stream, if that one is heard. Python flushes both at exit, so a broken one is put away."""
    nowhere = open(os.devnull, "w")  # noqa: SIM115
    sys.stdout = nowhere
    try:
        say(f"gate: exit {BAD_INPUT}: the outcome cannot be printed ({error.strerror})", sys.stderr)
    except OSError:
        sys.stderr = nowhere
    return BAD_INPUT


def say(text: str, stream: TextIO | None) -> None:
    """A console that lacks a letter gets its escape. A closed stream (``>&-``) is None to Python."""
    if stream is None:
        raise OSError(errno.EBADF, "the output is closed")
    encoding = stream.encoding or "utf-8"
    stream.write(text.encode(encoding, "backslashreplace").decode(encoding) + "\n")
    stream.flush()
