"""Evaluator versions: everything that decides a score, in one description and its fingerprint."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from django.db.models import QuerySet

from cases.models import Case, Project
from cases.records import content_hash
from cases.services.units import CHUNK_RULE
from cases.units import UNIT_RULE
from evaluation.judges import JUDGES
from evaluation.metrics import METRICS, Metric
from evaluation.models import IMPORTED, EvaluatorVersion
from evaluation.replies import Verdicts

REPLAY = "replay"

Kind = TypeVar("Kind")


MOST_REPEATS = 100


class EvaluatorError(ValueError):
    """An evaluator that cannot be made or used: what is wrong, and what there is instead."""


def evaluator_version(
    project: Project,
    metric: str,
    judge: str,
    parameters: Mapping[str, Any] | None = None,
    *,
    recorded: str = "",
    repeats: int = 1,
    among: Sequence[EvaluatorVersion] | None = None,
) -> EvaluatorVersion:
    """The evaluator version of this metric and judge; made at first use, the same row for the same description.

    ``recorded`` names the judge whose imported verdicts and scores "replay" repeats, ``among`` those there are.
    """
    description = _description(metric, judge, dict(parameters or {}), recorded, repeats)
    if judge == REPLAY:
        _require_recording(recorded_evaluators(project) if among is None else among, metric, recorded)
    name = f"{REPLAY}:{recorded}" if judge == REPLAY else judge
    evaluator, _ = EvaluatorVersion.objects.get_or_create(
        project=project,
        fingerprint=content_hash(description),
        defaults={"metric": metric, "judge": name, "description": description},
    )
    return evaluator


def _description(metric: str, judge: str, parameters: dict[str, Any], recorded: str, repeats: int) -> dict[str, Any]:
    if not 1 <= repeats <= MOST_REPEATS:
        raise EvaluatorError(f"{repeats} repeats: there must be at least one, and at most {MOST_REPEATS}")
    kind, core = _known(JUDGES, judge, "judge"), _known(METRICS, metric, "metric")()
    return {
        "protocol": "aligned",
        "metric": metric,
        "judge": judge,
        "judge_version": kind.version,
        "model": None,
        "parameters": parameters,
        "repeats": repeats,
        "aggregation": "mean",
        **({"recorded": recorded} if judge == REPLAY else {}),
        **_of_metric(core),
    }


def _of_metric(core: Metric) -> dict[str, Any]:
    prompts = [[prompt.asks, prompt.text] for prompt in core.prompts]
    return {
        "metric_version": core.version,
        "prompts_hash": content_hash({"prompts": prompts, "schema": Verdicts.schema}),
        "unit_source": CHUNK_RULE if core.unit_kind == "chunk" else UNIT_RULE,
    }


def require_current(evaluator: EvaluatorVersion) -> None:
    """Raise when this program would judge otherwise than the version says: its scores would bear a wrong name."""
    stored = evaluator.description
    try:
        now = _description(
            evaluator.metric,
            stored.get("judge", ""),
            stored.get("parameters", {}),
            stored.get("recorded", ""),
            stored.get("repeats", 1),
        )
    except EvaluatorError as error:
        raise EvaluatorError(f"this evaluator version cannot be run here: {error}") from error
    if content_hash(now) != evaluator.fingerprint:
        raise EvaluatorError("this evaluator version was made by another version of the product. Start a new run.")


def recorded_evaluators(project: Project, hidden: QuerySet[Case] | None = None) -> list[EvaluatorVersion]:
    """The judges whose scores were imported: what "replay" can repeat. Without those of hidden cases alone."""
    found = EvaluatorVersion.objects.filter(project=project, description__protocol=IMPORTED)
    found = found if hidden is None else found.beside(hidden)
    return list(found.select_related("project").order_by("judge", "metric"))


def _require_recording(known: Sequence[EvaluatorVersion], metric: str, recorded: str) -> None:
    if any(each.judge == recorded and each.metric == metric for each in known):
        return
    names = ", ".join(f"{each.judge} on {each.metric}" for each in known) or "nothing"
    wanted = f"{recorded!r} on {metric}" if recorded else f"{metric}: name the recorded judge"
    raise EvaluatorError(f"no scores are imported of {wanted}. Recorded here: {names}.")


def _known(registry: Mapping[str, Kind], name: str, what: str) -> Kind:
    if name not in registry:
        raise EvaluatorError(f"there is no {what} {name!r}. The {what}s are: {', '.join(registry)}.")
    return registry[name]
