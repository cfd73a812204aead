"""``workbench evaluate``: ask a judge about every case of a sample, in this process."""

from __future__ import annotations

import argparse
import shlex
import signal
from typing import Any

from workbench.cli.errors import CliError
from workbench.cli.output import Progress, emit_json, say

HELP = "Ask a judge about the cases of a sample."

HELD_ELSEWHERE = "Another worker holds the rest, or was killed: then they are free again within five minutes."

#: How many unscored cases a person is shown; --json lists all of them.
SHOWN = 10


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "sample", metavar="SAMPLE", help="a sample; or a dataset, which means all of its newest version"
    )
    parser.add_argument("--metric", required=True, metavar="M", help="faithfulness, answer_relevancy, ...")
    parser.add_argument("--judge", required=True, metavar="J", help="overlap, or replay with --recorded")
    parser.add_argument("--recorded", default="", metavar="NAME", help="the imported judge that replay repeats")
    parser.add_argument("--repeats", type=int, default=1, metavar="K", help="ask this often and take the mean")
    parser.add_argument("--fresh", action="store_true", help="judge every case again, not only those without a score")
    parser.add_argument("--project", metavar="P", help="the project (default: default)")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def run(args: argparse.Namespace) -> int:
    from cases.services import ProjectError
    from cases.services.samples import SampleError
    from evaluation.services import EvaluatorError

    signal.signal(signal.SIGTERM, _stop)  # so that the cases in flight are given back
    try:
        document = _evaluate(args)
    except (ProjectError, SampleError, EvaluatorError) as error:
        raise CliError(str(error)) from error
    if args.json:
        emit_json(document)
    else:
        _tell(document)
    return 0 if document["state"] == "done" else 1


def _stop(*_signal: object) -> None:
    raise SystemExit(143)


def _evaluate(args: argparse.Namespace) -> dict[str, Any]:
    from cases.services import find_project, resolve_sample
    from evaluation.services import drain, evaluator_version, start_run

    project = find_project(args.project)
    sample = resolve_sample(project, args.sample)
    evaluator = evaluator_version(project, args.metric, args.judge, recorded=args.recorded, repeats=args.repeats)
    run = start_run(sample, evaluator, fresh=args.fresh)
    progress = Progress("Judged", run.jobs.count())
    try:
        judged = drain(run, progress=progress)
    finally:
        progress.close()
    return _document(run, judged)


def _document(run: Any, judged: int) -> dict[str, Any]:
    from evaluation.services import score_rows, tally_of

    tally = tally_of(run.sample, run.evaluator)
    names = dict(run.sample.items.values_list("row__case_id", "row__case__external_id"))
    rows = score_rows(run.sample, run.evaluator)
    return {
        "sample": run.sample.name,
        "metric": run.evaluator.metric,
        "judge": run.evaluator.judge,
        "evaluator": run.evaluator.fingerprint,
        "run": run.pk,
        "state": run.state,
        "reason": run.reason,
        "judged": judged,
        "scored": tally.scored,
        "not_applicable": tally.not_applicable,
        "mean": tally.mean,
        "median": tally.median,
        "unscored": [{"id": names[row.case_id], "reason": row.reason} for row in rows if row.state == "unscored"],
    }


def _tell(document: dict[str, Any]) -> None:
    name = f"{document['metric']} by {document['judge']} on {document['sample']}"
    say(f"{name}: {document['judged']} judged now, {document['scored']} scored in all.")
    if document["mean"] is not None:
        say(f"Mean {document['mean']:.3f}, median {document['median']:.3f}, over the {document['scored']} scored.")
    if document["not_applicable"]:
        say(f"{document['not_applicable']} not applicable: a field that the metric needs is blank.")
    for case in document["unscored"][:SHOWN]:
        say(f"  unscored {case['id']}: {case['reason']}")
    if len(document["unscored"]) > SHOWN:
        say(f"  ... {len(document['unscored'])} unscored in all (--json lists them)")
    if document["state"] != "done":
        say(f"The run is {document['state']}. {document['reason'] or HELD_ELSEWHERE}")
    else:
        sample, judge = shlex.quote(document["sample"]), shlex.quote(document["judge"])
        say(f"Next: workbench calibrate {sample} --metric {document['metric']} --judge {judge}")
