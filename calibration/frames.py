"""The one place where rows become a table: people's verdicts and a judge's scores, side by side, one row a case."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from calibration.statistics.sentences import STRATUM_NOT_DRAWN, tell
from cases.models import Sample, SampleItem
from evaluation.models import EvaluatorVersion, ScoreState
from evaluation.services import ScoreRow, score_rows
from labeling.rules import HumanVerdict, Rule
from labeling.services import LabelRow, human_verdicts, label_rows

if TYPE_CHECKING:
    import pandas

#: A reason is counted, not read in full: the raw reply stays with the score.
REASON_LENGTH = 80
NO_VERDICT = HumanVerdict(None)


def calibration_table(
    sample: Sample, evaluator: EvaluatorVersion, *, human_metric: str, rule: Rule
) -> pandas.DataFrame:
    """What ``calibrate`` takes, from the database, in a constant number of queries.

    ``weight`` is there only when the cases were drawn with different probabilities, ``group`` only when one repeats.
    ``case_pk`` leads back to the case.
    """
    import pandas as pd

    items = list(sample.items.select_related("row__case").order_by("position"))
    verdicts = human_verdicts(sample, human_metric, rule)
    scores = {row.case_id: row for row in score_rows(sample, evaluator)}
    has_systems = len({item.row.case.system for item in items}) > 1
    rows = [
        {
            **_who(item, has_systems),
            **_people(verdicts.get(item.row.case_id, NO_VERDICT)),
            **_judge(scores.get(item.row.case_id), verdicts.get(item.row.case_id, NO_VERDICT)),
        }
        for item in items
    ]
    frame = pd.DataFrame(rows, columns=list(_columns(items)))
    frame.attrs["warnings"] = [tell(STRATUM_NOT_DRAWN, stratum=name) for name in sample.gaps]
    return frame


def label_table(sample: Sample, metric: str) -> pandas.DataFrame:
    """What ``label_agreement`` takes: one row a label, None where a person abstained or did not see the case."""
    import pandas as pd

    items = list(sample.items.select_related("row__case").order_by("position"))
    has_systems = len({item.row.case.system for item in items}) > 1
    said = {(row.case_id, row.annotator): _said(row) for row in label_rows(sample, metric)}
    names = sorted({annotator for _case, annotator in said})
    rows = [
        {
            "case_id": _name(item, has_systems),
            "annotator": name,
            "label": said.get((item.row.case_id, name)),
            "metric": metric,
            "group": item.row.group_id,
        }
        for item in items
        for name in names
    ]
    return pd.DataFrame(rows, columns=["case_id", "annotator", "label", "metric", "group"], dtype=object)


def _said(row: LabelRow) -> str | None:
    if row.verdict:
        return row.verdict if row.verdict in {"pass", "fail"} else None
    return None if row.grade is None else f"{row.grade:g}"


def _name(item: SampleItem, has_systems: bool) -> str:
    return str(item.row.case) if has_systems else item.row.case.external_id


def _columns(items: list[SampleItem]) -> dict[str, None]:
    names = ["case_id", "case_pk", "system", "language", "stratum", "human_pass", "undecided", "blind"]
    names += ["score", "unscored_reason", "not_applicable"]
    if len({item.inclusion_probability for item in items}) > 1:
        names.append("weight")
    if any(count > 1 for group, count in Counter(item.row.group_id for item in items).items() if group):
        names.append("group")
    return dict.fromkeys(names)


def _who(item: SampleItem, has_systems: bool) -> dict[str, Any]:
    case = item.row.case
    return {
        "case_id": _name(item, has_systems),
        "case_pk": case.pk,
        "system": case.system,
        "language": item.row.language,
        "stratum": item.stratum,
        "weight": 1 / item.inclusion_probability,
        "group": item.row.group_id,
    }


def _people(verdict: HumanVerdict) -> dict[str, Any]:
    return {
        "human_pass": float("nan") if verdict.human_pass is None else verdict.human_pass,
        "undecided": verdict.is_undecided,
        "blind": verdict.blind or "unknown",
    }


def _judge(score: ScoreRow | None, verdict: HumanVerdict) -> dict[str, Any]:
    state = score.state if score else ""
    return {
        "score": float("nan") if score is None or score.value is None else score.value,
        "unscored_reason": score.reason[:REASON_LENGTH] if score and state == ScoreState.UNSCORED else "",
        "not_applicable": state == ScoreState.NOT_APPLICABLE or verdict.is_not_applicable,
    }
