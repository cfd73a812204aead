"""``workbench labels``: what people said, in from a long table and out as one."""

from __future__ import annotations

import argparse
import csv
import io
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

from workbench.cli.errors import CliError
from workbench.cli.output import emit_json, open_output, say

HELP = "Bring labels in from a table, or write them out."

#: How many refused rows a person is shown; --json lists all of them.
SHOWN = 20


def configure(parser: argparse.ArgumentParser) -> None:
    acts = parser.add_subparsers(dest="act", required=True, metavar="ACT")
    import_ = acts.add_parser("import", help="a long table: case_id, annotator, metric, label or grade, note ...")
    import_.add_argument("file", type=Path, metavar="FILE", help="CSV, TSV or JSONL")
    import_.add_argument("--dataset", metavar="NAME", help="whose cases the ids name (default: all of the project)")
    import_.add_argument("--map", action="append", default=[], metavar="COLUMN=FIELD")
    import_.add_argument(
        "--words", default="", metavar="WORD=VERDICT,...", help="other label words: good=pass,bad=fail"
    )
    import_.add_argument("--annotator", default="imported", help="whose labels they are, when the table does not say")
    import_.add_argument("--metric", default="overall", help="what they are of, when the table does not say")
    import_.add_argument("--encoding", help="found by itself when left out")
    import_.add_argument("--delimiter", help="found by itself when left out")
    import_.add_argument("--dry-run", action="store_true", help="say what would be stored, and store nothing")
    import_.add_argument("--strict", action="store_true", help="store nothing when any row is refused, and exit 1")
    export = acts.add_parser("export", help="every current label, one row for each verdict")
    export.add_argument("--sample", metavar="S")
    export.add_argument("--dataset", metavar="D")
    export.add_argument("--format", choices=("csv", "jsonl"), default="csv")
    export.add_argument("--output", type=Path, metavar="FILE", help="default: the standard output")
    for act in acts.choices.values():
        act.add_argument("--project", metavar="P", help="the project (default: default)")
        act.add_argument("--json", action="store_true", help="print the summary as JSON (export: the rows)")


def run(args: argparse.Namespace) -> int:
    from cases.importers import CaseFileError
    from cases.services import ProjectError, SampleError, find_project
    from labeling.services import LabelingError

    try:
        project = find_project(args.project)
        return _import(args, project) if args.act == "import" else _export(args, project)
    except CaseFileError as error:
        raise CliError(f"{args.file}: {error}") from error
    except (ProjectError, SampleError, LabelingError) as error:
        raise CliError(str(error)) from error


def _import(args: argparse.Namespace, project: Any) -> int:
    from cases.importers import ImportOptions, parse_mapping, parse_words
    from labeling.services import import_label_file

    options = ImportOptions(
        mapping=parse_mapping(args.map),
        words=parse_words(args.words),
        encoding=args.encoding,
        delimiter=args.delimiter,
        annotator=args.annotator,
        metric=args.metric,
    )
    result = import_label_file(
        project, args.file, options, dataset=args.dataset, strict=args.strict, dry_run=args.dry_run
    )
    if not result.labels and (result.refused or not result.rows):
        raise CliError(f"{args.file}: no label could be read. {_first_reason(result)}")
    if args.json:
        emit_json(result.as_dict())
    else:
        _tell(result)
    return 1 if args.strict and result.refused and not args.dry_run else 0


def _first_reason(result: Any) -> str:
    """What stands in the way: the option that reads all the words at once, else the first row's reason."""
    from cases.importers.words import words_option

    if result.unknown_words:
        return f"{words_option(result.unknown_words)} would read it."
    if not result.refused:
        return "It has no rows."
    first = result.refused[0]
    return f"Line {first['line']}, {first['field']}: {first['reason']}."


def _tell(result: Any) -> None:
    verb = "Stored" if result.stored else "Nothing stored; there are"
    say(
        f"{verb} {result.labels:,} labels: {result.created:,} new, {result.revised:,} revised, "
        f"{result.unchanged:,} unchanged."
    )
    renamed = [f"{column!r} is {name}" for column, name in result.mapping.items() if column != name]
    if renamed:
        say(f"Columns: {', '.join(renamed)}.")
    if result.without_label:
        say(f"{result.without_label:,} rows have no label: nobody said anything there.")
    for each in result.refused[:SHOWN]:
        say(f"  line {each['line']}, {each['field']}: {each['reason']}")
    if len(result.refused) > SHOWN:
        say(f"  and {len(result.refused) - SHOWN:,} more; --json lists all.")
    if result.unknown_words:
        from cases.importers.words import words_option

        say(f"These words are not known; {words_option(result.unknown_words)} would read them.")


def _export(args: argparse.Namespace, project: Any) -> int:
    from cases.services import find_dataset, resolve_sample
    from labeling.services import export_rows

    if args.dataset:
        find_dataset(project, args.dataset)  # raises for one that is not there
    sample = resolve_sample(project, args.sample) if args.sample else None
    rows = export_rows(project, sample=sample, dataset=args.dataset)
    if args.json:
        emit_json({"labels": list(rows)})
        return 0
    with _target(args.output) as stream:
        count = _write_csv(stream, rows) if args.format == "csv" else _write_jsonl(stream, rows)
    if args.output:
        say(f"Wrote {count:,} rows to {args.output}.")
    return 0


@contextmanager
def _target(path: Path | None) -> Iterator[TextIO]:
    if path is None:
        yield sys.stdout
        return
    with open_output(path) as file, io.TextIOWrapper(file, encoding="utf-8", newline="") as stream:
        yield stream


def _write_csv(stream: TextIO, rows: Iterator[dict[str, Any]]) -> int:
    """Text that starts like a formula gets a ``'``; the mark in the header says so to whoever reads it back."""
    from cases.spreadsheets import neutral_row
    from labeling.services.label_files import COLUMNS, EXPORT_MARK

    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow([*COLUMNS, EXPORT_MARK])
    written = [
        writer.writerow([*neutral_row("" if cell is None else cell for cell in row.values()), ""]) for row in rows
    ]
    return len(written)


def _write_jsonl(stream: TextIO, rows: Iterator[dict[str, Any]]) -> int:
    written = [stream.write(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n") for row in rows]
    return len(written)
