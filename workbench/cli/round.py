"""``workbench round``: give cases out for labeling, and end it."""

from __future__ import annotations

import argparse
from typing import Any

from workbench.cli.errors import CliError
from workbench.cli.output import emit_json, say

HELP = "Open, close and list rounds of labeling."


def configure(parser: argparse.ArgumentParser) -> None:
    acts = parser.add_subparsers(dest="act", required=True, metavar="ACT")
    open_ = acts.add_parser("open", help="give a sample (or a whole dataset) out to annotators")
    open_.add_argument("sample", metavar="SAMPLE")
    open_.add_argument("--questions", required=True, metavar="Q", help="overall, triad, five, or one of your own")
    open_.add_argument("--annotators", required=True, metavar="A,B", help="people with an account, by name")
    open_.add_argument("--overlap", type=int, default=2, help="labels a case (default: 2)")
    open_.add_argument("--rule", default="majority", help='majority, strictest, soft, "median>=3", "strictest>=3"')
    open_.add_argument("--name", default="", help="what the round is called (default: as the sample)")
    open_.add_argument("--seed", type=int, default=0, help="the same seed gives the same order (default: 0)")
    open_.add_argument("--training", action="store_true", help="may reveal, and is never calibrated on")
    for name, what in (("close", "take no more labels"), ("pause", "give nothing new out"), ("reopen", "take labels")):
        acts.add_parser(name, help=what).add_argument("name", metavar="NAME")
    acts.add_parser("list", help="the rounds and how far they are")
    for act in acts.choices.values():
        act.add_argument("--project", metavar="P", help="the project (default: default)")
        act.add_argument("--json", action="store_true")


def run(args: argparse.Namespace) -> int:
    from cases.services import ProjectError, SampleError, find_project
    from labeling.rules import RuleError
    from labeling.services import LabelingError

    try:
        project = find_project(args.project)
        return {"open": _open, "list": _list}.get(args.act, _change)(args, project)
    except (ProjectError, SampleError, LabelingError, RuleError) as error:
        raise CliError(str(error)) from error


def _open(args: argparse.Namespace, project: Any) -> int:
    from cases.services import resolve_sample
    from labeling import services

    round_ = services.open_round(
        project=project,
        sample=resolve_sample(project, args.sample),
        question_set=services.find_question_set(project, args.questions),
        annotators=[services.annotator_for(project, user) for user in _people(project, args.annotators)],
        overlap=args.overlap,
        rule=args.rule,
        name=args.name,
        seed=args.seed,
        is_training=args.training,
    )
    return _tell(args, round_, f"Opened the round {round_.name!r}")


def _people(project: Any, names: str) -> list[Any]:
    """People of the project in the order given; a name nobody has is answered with the command that adds it."""
    from cases.models import User

    wanted = [name.strip() for name in names.split(",") if name.strip()]
    known = {user.username: user for user in User.objects.filter(memberships__project=project, username__in=wanted)}
    if missing := [name for name in wanted if name not in known]:
        raise CliError(
            f"{', '.join(missing)} has no account in {project.slug}: "
            f"workbench user add {missing[0]} --role annotator --project {project.slug}"
        )
    return [known[name] for name in wanted]


def _change(args: argparse.Namespace, project: Any) -> int:
    from labeling import services

    round_ = project.rounds.select_related("project", "sample").filter(name=args.name).first()
    if round_ is None:
        known = ", ".join(project.rounds.order_by("name").values_list("name", flat=True)) or "none yet"
        raise CliError(f"there is no round {args.name!r} in {project.slug}. Rounds: {known}.")
    change = {"close": services.close_round, "pause": services.pause_round, "reopen": services.reopen_round}
    change[args.act](round_, None)
    return _tell(args, round_, f"{round_.name!r} is {round_.state}")


def _list(args: argparse.Namespace, project: Any) -> int:
    rounds = [_facts(each) for each in project.rounds.select_related("sample").order_by("pk")]
    if args.json:
        emit_json({"rounds": rounds})
        return 0
    for each in rounds:
        say(f"{each['round']}: {each['state']}, {each['done']} of {each['wanted']} labels, sample {each['sample']}")
    if not rounds:
        say("There is no round yet: workbench round open SAMPLE --questions overall --annotators NAME,NAME")
    return 0


def _facts(round_: Any) -> dict[str, Any]:
    from labeling.services import round_progress

    progress = round_progress(round_)
    return {
        "round": round_.name,
        "state": round_.state,
        "sample": round_.sample.name,
        "rule": round_.rule,
        "overlap": round_.overlap,
        "training": round_.is_training,
        "cases": progress.cases,
        "complete": progress.complete,
        "done": progress.done,
        "wanted": progress.wanted,
        "annotators": [{"name": each.name, "done": each.done, "wanted": each.wanted} for each in progress.people],
    }


def _tell(args: argparse.Namespace, round_: Any, sentence: str) -> int:
    facts = _facts(round_)
    if args.json:
        emit_json(facts)
    else:
        say(f"{sentence}: {facts['cases']} cases, {facts['done']} of {facts['wanted']} labels.")
    return 0
