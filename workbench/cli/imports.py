"""``workbench import``: a file of cases, with the labels and scores in it, into a dataset."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cases.importers.refusals import lines_named
from cases.importers.words import rule_option
from workbench.cli.errors import CliError
from workbench.cli.output import Progress, emit_json, say

if TYPE_CHECKING:
    from cases.importers import CaseFileError

HELP = "Bring a file of cases in, with the labels and scores in it."

#: How many reasons and repeated ids a person is shown; --json lists every refusal and id.
SHOWN = 20


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, metavar="FILE", help="JSONL, JSON or CSV")
    parser.add_argument("--dataset", required=True, metavar="NAME", help="a new dataset, or one to add to")
    parser.add_argument("--format", metavar="F", help="found by itself when left out")
    parser.add_argument(
        "--map", action="append", default=[], metavar="COLUMN=FIELD", help="a column that is this field"
    )
    parser.add_argument("--context-separator", metavar="TEXT", help="what joins several chunks in one cell")
    parser.add_argument("--words", default="", metavar="WORD=VERDICT,...", help="other label words: good=pass,bad=fail")
    parser.add_argument("--encoding", help="found by itself when left out")
    parser.add_argument("--delimiter", help="found by itself when left out")
    parser.add_argument("--decimal", choices=(",", "."), help="how numbers write their fraction, when it is not found")
    parser.add_argument("--annotator", default="imported", help="whose labels a table's are, when it does not say")
    parser.add_argument("--judge", default="imported", help="whose scores a table's are, when it does not say")
    parser.add_argument("--metric", default="overall", help="what a table's labels and scores are of, likewise")
    parser.add_argument("--dry-run", action="store_true", help="say what would be stored, and store nothing")
    parser.add_argument("--strict", action="store_true", help="store nothing when any row is refused, and exit 1")
    parser.add_argument("--project", metavar="P", help="the project (default: default)")
    parser.add_argument("--json", action="store_true", help="print the summary as JSON")


def run(args: argparse.Namespace) -> int:
    from cases.importers import CaseFileError
    from cases.services import ImportRefusedError, InvalidNameError, ProjectError

    try:
        summary = _import(args)
    except CaseFileError as error:
        raise CliError(_pastable(args.file, error)) from error
    except (InvalidNameError, ProjectError) as error:
        raise CliError(str(error)) from error
    except ImportRefusedError as error:
        raise CliError(str(error), code=1) from error
    document = summary.as_dict()
    if args.json:
        emit_json(document)
    else:
        _tell(args, document)
    is_refused = not summary.is_stored and not args.dry_run
    return 1 if is_refused or not summary.scan.cases else 0


def _pastable(file: Path, error: CaseFileError) -> str:
    """The error with the file's name in the command it advises; the importer itself never says a path."""
    command = error.advice.replace("FILE", shlex.quote(str(file)))
    return f"{file}: {str(error).removesuffix(error.advice)}{command}"


def _import(args: argparse.Namespace) -> Any:
    from cases.importers import ImportOptions, parse_mapping, parse_words
    from cases.services import find_project, import_file

    options = ImportOptions(
        format=args.format,
        mapping=parse_mapping(args.map),
        context_separator=args.context_separator,
        words=parse_words(args.words),
        encoding=args.encoding,
        delimiter=args.delimiter,
        decimal=args.decimal,
        annotator=args.annotator,
        judge=args.judge,
        metric=args.metric,
    )
    progress = Progress("Stored")
    try:
        return import_file(
            project=find_project(args.project),
            dataset_name=args.dataset,
            path=args.file,
            options=options,
            strict=args.strict,
            dry_run=args.dry_run,
            progress=progress,
        )
    finally:
        progress.close()


def _tell(args: argparse.Namespace, document: dict[str, Any]) -> None:
    verb = "Stored in" if document["stored"] else "Nothing stored. Would go to"
    version = f" version {document['version']}" if document["version"] else ""
    say(f"{verb} {document['dataset']}{version}: {_headline(document)}.")
    say(f"Of the cases {_changes(document)}.")
    for line in (*_losses(document), *_reading(document)):
        say(line)
    for line in (*document["warnings"], *_conflict_lines(document), *_refusal_lines(document)):
        say(f"  {line}")
    if document["stored"] and (command := _next(args, document)):
        say(f"Next: {command}")


def _headline(document: dict[str, Any]) -> str:
    """``19 cases, 0 of 20 labels, 19 scores``: how many come in, and of how many where some are lost."""
    return ", ".join(_share(document[name], document["lost"][name], name) for name in ("cases", "labels", "scores"))


def _share(taken: int, lost: int, name: str) -> str:
    return f"{taken:,} of {taken + lost:,} {name}" if lost else f"{taken:,} {name if taken != 1 else name[:-1]}"


def _changes(document: dict[str, Any]) -> str:
    are = "are" if document["created"] != 1 else "is"
    return f"{document['created']:,} {are} new, {document['updated']:,} changed, {document['unchanged']:,} unchanged"


def _losses(document: dict[str, Any]) -> list[str]:
    """Before any detail: what does not come in."""
    lost = [f"{count:,} {name if count != 1 else name[:-1]}" for name, count in document["lost"].items() if count]
    lines = [f"Not taken: {', '.join(lost)}."] if lost else []
    return [*lines, *([_twice(document["duplicate_lines"])] if document["duplicate_lines"] else [])]


def _twice(duplicates: list[dict[str, Any]]) -> str:
    named = [f"{each['id']} on {lines_named(each['lines'], len(each['lines']))}" for each in duplicates[:SHOWN]]
    more = f"; and {len(duplicates) - SHOWN:,} more: --json lists them" if len(duplicates) > SHOWN else ""
    return f"Given more than once, taken once: {'; '.join(named)}{more}."


def _reading(document: dict[str, Any]) -> list[str]:
    lines = [f"Read as {document['format']}, {document['encoding']}{_delimiter(document)}."]
    renamed = [f"{column!r} is {name}" for column, name in document["mapping"].items() if column != name]
    if renamed:
        lines.append(f"Columns: {', '.join(renamed)}.")
    if document["context_shapes"]:
        shapes = ", ".join(f"{n} {shape}" for shape, n in document["context_shapes"].items())
        lines.append(f"Contexts: {shapes}.")
    return lines


def _delimiter(document: dict[str, Any]) -> str:
    delimiter = document.get("delimiter")
    return f", columns parted by {delimiter!r}" if delimiter else ""


def _conflict_lines(document: dict[str, Any]) -> list[str]:
    return [
        f"Conflict, not stored: {each['id']} has different content on lines {', '.join(map(str, each['lines']))}. "
        "Keep one of them."
        for each in document["conflicts"]
    ]


def _refusal_lines(document: dict[str, Any]) -> list[str]:
    """One line for each reason; --json has one for each refusal."""
    groups = document["refused_together"]
    lines = [f"Refused, {_refusal(each)}" for each in groups[:SHOWN]]
    return [*lines, *([f"... and {len(groups) - SHOWN} more: --json lists them"] if len(groups) > SHOWN else [])]


def _refusal(group: dict[str, Any]) -> str:
    field = f"{group['field']}: " if group["field"] else ""
    advice = f"; {group['hint']['advice']}" if group["hint"] else ""
    return f"{field}{group['problem']}: {lines_named(group['lines'], group['count'])}{advice}"


def _next(args: argparse.Namespace, document: dict[str, Any]) -> str:
    """The command that calibrates what was stored, with the names it was stored under."""
    labeled = document["labeled"]
    judged = next((each for each in document["judged"] if each["metric"] in labeled), None)
    judged = judged or (document["judged"][0] if document["judged"] and labeled else None)
    if judged is None or not document["labels"] or not document["scores"]:
        return ""
    words = ["workbench", "calibrate", args.dataset, "--metric", judged["metric"]]
    if judged["metric"] not in labeled:
        words += ["--human-metric", labeled[0]]
    words += ["--judge", judged["judge"], *(["--project", args.project] if args.project else [])]
    rule = f" {rule_option(document['grades'])}" if document["grades"] else ""
    return shlex.join(words) + rule
