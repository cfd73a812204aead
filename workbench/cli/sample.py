"""``workbench sample``: draw the part of a dataset that is labeled and judged."""

from __future__ import annotations

import argparse
from typing import Any

from workbench.cli.errors import CliError
from workbench.cli.output import emit_json, say

HELP = "Draw the part of a dataset that people label and judges score."


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("dataset", metavar="DATASET")
    parser.add_argument("--name", required=True, help="what the sample is called")
    parser.add_argument("--design", choices=("simple", "stratified", "score-band"), default="simple")
    parser.add_argument("--size", type=int, required=True, help="how many cases")
    parser.add_argument("--seed", type=int, default=0, help="the same seed draws the same cases (default: 0)")
    parser.add_argument("--purpose", choices=("develop", "calibrate", "confirm"), default="calibrate")
    parser.add_argument("--judge", help="score-band: whose scores the bands are of")
    parser.add_argument("--metric", help="score-band: which metric's")
    parser.add_argument("--project", metavar="P", help="the project (default: default)")
    parser.add_argument("--json", action="store_true")


def run(args: argparse.Namespace) -> int:
    from cases.services import ProjectError, SampleError, draw_new_sample, find_project

    try:
        project = find_project(args.project)
        version = _version(project, args.dataset)
        sample = draw_new_sample(
            version=version,
            name=args.name,
            design=args.design,
            size=args.size,
            seed=args.seed,
            purpose=args.purpose,
            scores=_scores(args, version) if args.design == "score-band" else None,
        )
    except (ProjectError, SampleError) as error:
        raise CliError(str(error)) from error
    _tell(args, sample)
    return 0


def _version(project: Any, name: str) -> Any:
    from cases.services import SampleError, find_dataset

    version = find_dataset(project, name).latest
    if version is None:
        raise SampleError(f"the dataset {name!r} holds no case")
    return version


def _scores(args: argparse.Namespace, version: Any) -> list[float]:
    """The judge's scores in the order of the rows; the lower app is handed plain numbers."""
    from calibration.services import CalibrationError, scores_by_row

    if not (args.judge and args.metric):
        raise CliError("--design score-band needs --judge and --metric: the bands are of that judge's scores.")
    try:
        return scores_by_row(version, judge=args.judge, metric=args.metric)
    except CalibrationError as error:
        raise CliError(str(error)) from error


def _tell(args: argparse.Namespace, sample: Any) -> None:
    from django.db.models import Count, Min

    strata = list(sample.items.values("stratum").annotate(cases=Count("pk"), probability=Min("inclusion_probability")))
    facts = {
        "sample": sample.name,
        "dataset": sample.version.dataset.name,
        "version": sample.version.number,
        "design": sample.design,
        "cases": sample.items.count(),
        "strata": sorted(strata, key=lambda each: each["stratum"]),
        "gaps": sample.gaps,
        "sample_hash": sample.content_hash,
    }
    if args.json:
        emit_json(facts)
        return
    say(f"Drew {facts['cases']} cases of {sample.version} into {sample.name!r}.")
    for each in facts["strata"]:
        say(f"  {each['stratum']}: {each['cases']} cases, each with probability {each['probability']:.3f}")
    for gap in sample.gaps:
        say(f"  {gap}")
    say(f"Next: workbench round open {sample.name!r} --questions overall --annotators NAME,NAME --overlap 2")
