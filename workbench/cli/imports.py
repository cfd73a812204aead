"""``workbench import``: a file of cases, with the labels and scores in it, into a dataset."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from workbench.cli.errors import CliError
from workbench.cli.output import Progress, emit_json, say

HELP = "Bring a file of cases in, with the labels and scores in it."

#: How many refused rows a person is shown; --json lists all of them.
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
    parser.add_argument("--annotator", default="imported", help="whose labels a table's are, when it does not say")
    parser.add_argument("--judge", default="imported", help="whose scores a table's are, when it does not say")
    parser.add_argument("--metric", default="overall", help="what a table's labels and scores are of, likewise")
    parser.add_argument("--dry-run", action="store_true", help="say what would be stored, and store nothing")
    parser.add_argument("--strict", action="store_true", help="store nothing when any row is refused, and exit 1")
    parser.add_argument("--project", metavar="P", help="the project (default: default)")
    parser.add_argument("--json", action="store_true", help="print the summary as JSON")


def run(args: argparse.Namespace) -> int:
    from cases.importers import CaseFileError
    from cases.services import ImportRefusedError, ProjectError

    try:
        summary = _import(args)
    except (CaseFileError, ProjectError) as error:
        raise CliError(f"{args.file}: {error}" if isinstance(error, CaseFileError) else str(error)) from error
    except ImportRefusedError as error:
        raise CliError(str(error), code=1) from error
    document = summary.as_dict()
    if args.json:
        emit_json(document)
    else:
        _tell(args, document)
    return 1 if args.strict and not summary.is_stored and not args.dry_run else 0


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
    say(f"{verb} {document['dataset']}{version}: {_changes(document)}.")
    say(f"Read as {document['format']}, {document['encoding']}{_delimiter(document)}.")
    renamed = [f"{column!r} is {name}" for column, name in document["mapping"].items() if column != name]
    if renamed:
        say(f"Columns: {', '.join(renamed)}.")
    if document["context_shapes"]:
        say("Contexts: " + ", ".join(f"{n} {shape}" for shape, n in document["context_shapes"].items()) + ".")
    for line in [*_conflict_lines(document), *_refusal_lines(document), *document["warnings"]]:
        say(f"  {line}")
    if document["stored"] and document["labels"] and document["scores"]:
        say(f"Next: workbench calibrate {args.dataset!r} --metric METRIC --judge JUDGE")


def _changes(document: dict[str, Any]) -> str:
    counts = f"{document['created']:,} new, {document['updated']:,} changed, {document['unchanged']:,} unchanged cases"
    return f"{counts}, {document['labels']:,} labels, {document['scores']:,} scores"


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
    refused = document["refused"]
    lines = [f"Refused, line {each['line']}, {each['field']}: {each['reason']}" for each in refused[:SHOWN]]
    return [*lines, *([f"... and {len(refused) - SHOWN} more: --json lists them"] if len(refused) > SHOWN else [])]
