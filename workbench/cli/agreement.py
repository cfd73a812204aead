"""``workbench agreement``: how far annotators agree, between themselves and with a judge among them."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from workbench.cli.calibrate import is_table
from workbench.cli.errors import CliError
from workbench.cli.output import emit_json, say

if TYPE_CHECKING:
    import pandas

HELP = "Tell how far the annotators of a table or a sample agree."
NEEDS_DJANGO = False  # as for calibrate


def configure(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("what", metavar="SAMPLE|DATASET|TABLE.csv", help="labels long or wide, or a sample of the project")
    add("--metric", metavar="M", help="which metric's labels")
    add("--judge-annotator", metavar="A", help="the annotator that is the judge: compared with each person")
    add("--map", action="append", default=[], metavar="COLUMN=FIELD", help="table: which column is what")
    add("--words", metavar="WORD=pass,WORD=fail", help="table: what the labels' words mean")
    add("--project", metavar="P", help="sample: the project (default: default)")
    add("--json", action="store_true")


def run(args: argparse.Namespace) -> int:
    from calibration.agreements import label_agreement

    try:
        frame = _table(args) if is_table(args.what) else _sample(args)
        document = label_agreement(frame, judge_annotator=args.judge_annotator)
    except OSError as error:
        raise CliError(f"{args.what}: {error.strerror}") from error
    except ValueError as error:
        raise CliError(getattr(error, "with_flag", str(error))) from error
    document["warnings"] = [str(text) for text in frame.attrs.get("warnings", ())]
    if args.json:
        emit_json(document)
    else:
        _tell(document)
    return 0


def _table(args: argparse.Namespace) -> pandas.DataFrame:
    from calibration.tables import read_labels

    return read_labels(args.what, mapping=args.map, words=args.words, metric=args.metric)


def _sample(args: argparse.Namespace) -> pandas.DataFrame:
    from workbench.cli import set_up_django

    set_up_django()
    from calibration.frames import label_table
    from calibration.services import metric_of
    from cases.services import find_project, resolve_sample

    sample = resolve_sample(find_project(args.project), args.what)
    return label_table(sample, metric_of(sample, args.metric))


def _tell(document: dict[str, Any]) -> None:
    say(f"{', '.join(document['raters'])} on {document['n']} cases")
    _tell_figures(document.get("people", document))
    for pair in document.get("people", document).get("pairs", ()):
        say(f"  {' and '.join(pair['raters'])}: raw {_figure(pair['raw'])}, kappa {_figure(pair['kappa'])}")
    for each in document.get("judge", ()):
        say()
        say(f"The judge and {each['annotator']}:")
        _tell_figures(each)
    for text in document["warnings"]:
        say(f"! {text}")


def _tell_figures(found: dict[str, Any]) -> None:
    raw = found["raw"]
    say(f"  raw agreement: {_figure(raw)} ({found['cases_used']} cases with two labels or more)")
    for name, title in (("kappa", "kappa"), ("ac1", "AC1"), ("alpha", "alpha"), ("agreement_on_fail", "on fails")):
        say(f"  {title}: {_figure(found[name])}")
    for who, shares in found["base_rates"].items():
        said = ", ".join(f"{label} {100 * share:.0f} %" for label, share in shares.items())
        say(f"  {who}: {said or 'no case that another labeled too'}")
    if found["cases_left_out"]:
        shown = found["cases_left_out"][:10]
        more = "" if len(shown) == len(found["cases_left_out"]) else ", ..."
        say(f"  left out, fewer than two labels: {len(found['cases_left_out'])} ({', '.join(shown)}{more})")
    for text in filter(None, (found["explanation"], found["advice"])):
        say(f"  {text}")


def _figure(figure: dict[str, Any]) -> str:
    return figure["reason"] if figure["value"] is None else f"{figure['value']:.3f}"
