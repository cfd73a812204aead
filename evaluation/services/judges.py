"""From an evaluator version to the judges that answer for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from evaluation.judges import JUDGES, Judge, Recording, Replay
from evaluation.models import EvaluatorVersion, Score, ScoreState
from evaluation.services.runs import recordings


def judges_for(evaluator: EvaluatorVersion, case_ids: Sequence[int]) -> Mapping[int, Judge]:
    """A judge for each case: one for all, except that a replay holds the recording of its case."""
    kind = JUDGES[evaluator.description["judge"]]
    if kind is Replay:
        heard = {score.case_id: _recording(score) for score in recordings(evaluator).filter(case_id__in=case_ids)}
        return {case_id: Replay(heard.get(case_id)) for case_id in case_ids}
    return dict.fromkeys(case_ids, kind(**evaluator.description["parameters"]))


def _recording(score: Score) -> Recording:
    if score.state == ScoreState.SCORED:
        return Recording(score=score.value, verdicts=tuple(score.verdicts))
    return Recording(error=f"recorded as {score.get_state_display()}: {score.reason}")
