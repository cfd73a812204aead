"""``workbench export``: a calibration as the file that a build is gated by."""

from __future__ import annotations

import argparse
import hashlib
from typing import Any

from workbench.cli.errors import CliError
from workbench.cli.output import emit_json, emit_text, refuse_overwriting, warn, write_file

HELP = "Write a calibration as a config or as a one-file gate for CI."
NEEDS_DJANGO = False  # only to look a name up; the document of `calibrate --json` needs no database


def configure(parser: argparse.ArgumentParser) -> None:
    from calibration.config import MIN_SCORED_SHARE
    from calibration.exporters import EXPORTERS

    add = parser.add_argument
    add("calibration", help="the name that `calibrate` printed, or the .json file of `calibrate --json`")
    add(
        "--format",
        required=True,
        choices=sorted(EXPORTERS),
        help="json: the config; gate: one file with gate and config",
    )
    add("--project", default="default", help="the project it belongs to")
    add("--min-pass-rate", type=float, metavar="SHARE", help="share of scored cases that must pass (default: all)")
    add("--min-scored-share", type=float, metavar="SHARE", default=MIN_SCORED_SHARE, help="default: %(default)s")
    add("--expires", metavar="DATE", help="last day it holds, such as 2030-01-31")
    add("--output", metavar="FILE", help="write there instead of printing")
    add("--json", action="store_true", help="print what was written, as JSON")


def run(args: argparse.Namespace) -> int:
    from calibration.config import config_bytes
    from calibration.exporters import EXPORTERS

    refuse_overwriting({"--output": args.output}, [args.calibration])
    config = _config(args)
    content = EXPORTERS[args.format].render(config)
    if args.output:
        write_file(args.output, content)
    config_sha256 = hashlib.sha256(config_bytes(config)).hexdigest()
    _tell(args, content, config_sha256)
    return 0


def _config(args: argparse.Namespace) -> dict[str, Any]:
    """Bad options are bad input; a calibration that recommends nothing is refused."""
    from calibration.config import ConfigError, RefusedError, build_config

    document = _document(args)
    try:
        return build_config(
            document,
            min_pass_rate=args.min_pass_rate,
            min_scored_share=args.min_scored_share,
            expires=args.expires,
        )
    except RefusedError as error:
        raise CliError(str(error), code=1) from None
    except ConfigError as error:
        raise CliError(str(error)) from None


def _document(args: argparse.Namespace) -> dict[str, Any]:
    if args.calibration.casefold().endswith(".json"):
        return _read_document(args.calibration)
    from workbench.cli import set_up_django

    set_up_django()
    from calibration.services import find_calibration

    found = find_calibration(args.project, args.calibration)
    if found is None:
        raise CliError(f"there is no calibration {args.calibration!r} in the project {args.project!r}")
    return dict(found.document)


def _read_document(path: str) -> dict[str, Any]:
    from calibration.gating.files import InputError, as_text, parse_json, read_bytes

    try:
        document = parse_json(as_text(read_bytes(path, "CALIBRATION"), path), path)
    except InputError as error:
        raise CliError(str(error)) from None
    if not isinstance(document, dict) or "recommended_threshold" not in document:
        raise CliError(f"{path}: is no calibration as `calibrate --json` prints it")
    return document


def _tell(args: argparse.Namespace, content: bytes, config_sha256: str) -> None:
    if args.json:
        what = {"format": args.format, "file": args.output, "config_sha256": config_sha256}
        emit_json(what if args.output else {**what, "content": content.decode()})
    elif args.output:
        warn(f"Wrote {args.output}. To pin its config in CI: --expect-sha256 {config_sha256}")
    else:
        emit_text(content.decode())
