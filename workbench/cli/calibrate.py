"""``workbench calibrate``: find the threshold of a judge, from the database or from a plain table."""

from __future__ import annotations

import argparse
import shlex
from typing import TYPE_CHECKING, Any

from workbench.cli.errors import CliError
from workbench.cli.output import emit_json, refuse_overwriting, say, say_lines, warn, write_file

if TYPE_CHECKING:
    from calibration.calibrate import Calibration

HELP = "Compare a judge's scores with people's verdicts and find the cheapest threshold."
NEEDS_DJANGO = False  # a table needs no database; a sample sets it up below

#: A name that ends like this is a table, any other a sample, else a dataset.
TABLE_ENDINGS = (".csv", ".tsv", ".txt", ".tab")


def configure(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("what", metavar="SAMPLE|DATASET|TABLE.csv", help="a sample or dataset of the project, or a table")
    add("--metric", metavar="M", help="the metric the judge scored")
    add("--human-metric", metavar="H", help="what people were asked, when it is called otherwise")
    add("--judge", metavar="J", help="the judge's name, or the start of its fingerprint")
    add("--rule", metavar="RULE", help='majority, strictest, soft, "median>=3" or "strictest>=3"')
    add("--cost-false-pass", type=float, metavar="C", help="what it costs to pass what people fail")
    add("--cost-false-fail", type=float, metavar="C", help="what it costs to fail what people pass")
    add("--seed", type=int, default=0, help="of all resampling (default: 0)")
    add("--certify", type=float, metavar="ALPHA", help="ask for a false-pass rate of at most this, such as 0.10")
    add("--confidence", type=float, default=0.95, help="of the certificate (default: 0.95)")
    add("--labels-blind", action="store_true", help="assert that the labels were given blind; it is recorded")
    add("--export", metavar="FILE", help="write the config that a build is gated by")
    add("--report", metavar="FILE", help="write the figures as a page of plain text")
    add("--json", action="store_true", help="print the calibration as JSON")
    _configure_table(parser.add_argument_group("for a table"))
    group = parser.add_argument_group("for a sample or dataset")
    group.add_argument("--project", metavar="P", help="the project (default: default)")
    group.add_argument(
        "--freeze",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="keep it under a name that `export` takes (default: yes)",
    )


def _configure_table(group: Any) -> None:
    group.add_argument("--map", action="append", default=[], metavar="COLUMN=FIELD", help="which column is what")
    group.add_argument("--words", metavar="WORD=pass,WORD=fail", help="what the labels' words mean")
    group.add_argument("--judge-name", metavar="N", help="who gave the scores, for the exported config")
    group.add_argument("--judge-version", metavar="V", help="which version of it")
    group.add_argument("--judge-annotator", metavar="A", help="which annotator of the table is the judge")


def run(args: argparse.Namespace) -> int:
    _check_files(args)
    found = _from_table(args) if is_table(args.what) else _from_database(args)
    document = found.document
    if args.report:
        write_file(args.report, found.report().encode())
    if args.json:
        emit_json(document)
    else:
        _tell(args, found)
    return _export(args.export, document) if args.export else 0


def _check_files(args: argparse.Namespace) -> None:
    """Before anything is computed."""
    refuse_overwriting({"--report": args.report, "--export": args.export}, [args.what] if is_table(args.what) else [])
    if args.report and args.report.casefold().endswith((".html", ".htm")):
        raise CliError(f"--report {args.report}: reports are plain text now; give a name such as report.txt")


def is_table(name: str) -> bool:
    return name.casefold().endswith(TABLE_ENDINGS)


def _from_table(args: argparse.Namespace) -> Calibration:
    from calibration.calibrate import calibrate
    from calibration.tables import TableError, read_table

    try:
        table = read_table(
            args.what,
            mapping=args.map,
            rule=args.rule,
            judge_annotator=args.judge_annotator,
            words=args.words,
            metric=args.metric,
        )
        judge = args.judge_name or args.judge or args.judge_annotator or ""
        version = {"judge_version": args.judge_version} if args.judge_version else {}
        return calibrate(
            table,
            **_asked(args),
            metric=args.metric or table.attrs["metric"],
            human_metric=args.human_metric,
            judge=judge,
            rule=table.attrs["rule"],
            provenance={"dataset_hash": table.attrs["sha256"], "evaluator": version},
        )
    except (TableError, OSError, ValueError) as error:
        raise CliError(_sentence(error)) from error


def _from_database(args: argparse.Namespace) -> Calibration:
    from workbench.cli import set_up_django

    _refuse_table_options(args)
    set_up_django()
    from calibration import services
    from calibration.calibrate import Calibration
    from cases.services import find_project, resolve_sample
    from labeling.rules import RuleError

    try:
        project = find_project(args.project)
        sample = resolve_sample(project, args.what)
        evaluator = services.resolve_evaluator(project, sample, args.metric, args.judge)
        ask = services.ask_for(sample, evaluator, human_metric=args.human_metric, rule=args.rule, **_asked(args))
        found = services.calibrated(sample, evaluator, ask)
        if not args.freeze or found.recommended_threshold is None:
            return found
        return Calibration(services.freeze(sample, evaluator, ask).document)
    except RuleError as error:
        raise CliError(str(error)) from error
    except services.CalibrationError as error:
        raise CliError(error.with_flag) from error
    except ValueError as error:
        raise CliError(_sentence(error)) from error


def _refuse_table_options(args: argparse.Namespace) -> None:
    given = [name for name in ("map", "words", "judge_name", "judge_version", "judge_annotator") if getattr(args, name)]
    if given:
        flags = ", ".join(f"--{name.replace('_', '-')}" for name in given)
        raise CliError(f"{flags}: only for a table ({', '.join(TABLE_ENDINGS)}); {args.what!r} names a sample")


def _asked(args: argparse.Namespace) -> dict[str, Any]:
    names = ("cost_false_pass", "cost_false_fail", "seed", "certify", "confidence", "labels_blind")
    return {name: getattr(args, name) for name in names}


def _sentence(error: Exception) -> str:
    if isinstance(error, OSError) and error.filename:
        return f"{error.filename}: {error.strerror}"
    return str(error)


def _export(path: str, document: dict[str, Any]) -> int:
    """The config, or nothing at all where no threshold is recommended."""
    from calibration.config import ConfigError, build_config, config_bytes

    try:
        write_file(path, config_bytes(build_config(document)))
    except ConfigError as error:
        warn(f"workbench: {error}")
        return 1
    warn(f"Wrote {path}.")
    return 0


def _tell(args: argparse.Namespace, found: Calibration) -> None:
    from calibration.presenting.telling import headline_sentence

    document = found.document
    say(headline_sentence(document))
    say()
    say_lines(found.report().rstrip("\n"))
    say()
    say(_kept(args, document))
    say(_next(args, document))


def _kept(args: argparse.Namespace, document: dict[str, Any]) -> str:
    if document["calibration"]:
        return f"Frozen as {document['calibration']}."
    if document["recommended_threshold"] is None and args.freeze and not is_table(args.what):
        return "Not frozen: without a recommended threshold there is nothing to keep."
    return "Nothing was frozen."


def _next(args: argparse.Namespace, document: dict[str, Any]) -> str:
    """What to do with this result."""
    if document["recommended_threshold"] is None:
        if document["reason_code"] == "one_class":
            return "Next: label cases of the other kind too, then calibrate again."
        if document["reason_code"] == "unusable_scores":
            return "Next: give scores from 0 to 1, then calibrate again."
        return "Next: another judge or metric, or other costs; there is nothing to export."
    if document["calibration"]:
        project = f" --project {shlex.quote(args.project)}" if args.project else ""
        return f"Next: workbench export {document['calibration']} --format json{project} --output config.json"
    if args.export:
        return f"Next: workbench gate --config {shlex.quote(args.export)} --scores SCORES"
    return "Next: the same command with --export config.json, then workbench gate --config config.json --scores SCORES"
