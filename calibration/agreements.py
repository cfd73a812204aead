"""Agreement over a table of labels: what ``workbench agreement`` prints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from calibration.statistics.document import tidy
from calibration.statistics.raters import rater_agreement
from calibration.statistics.resampling import design_of

if TYPE_CHECKING:
    import pandas

Labels = dict[str, list[str | None]]


def label_agreement(frame: pandas.DataFrame, *, judge_annotator: str | None = None) -> dict[str, Any]:
    """Agreement of all raters of ``read_labels``'s frame, of one metric.

    With ``judge_annotator`` also ``people`` (all but the judge, where they are two or more) and ``judge``: the
    judge with each person.
    """
    metrics = sorted({str(name) for name in frame["metric"] if name})
    if len(metrics) > 1:
        raise ValueError(f"the labels are of {len(metrics)} metrics ({', '.join(metrics)}): --metric {metrics[0]}")
    labels, case_ids, groups = rater_labels(frame)
    if judge_annotator is not None and judge_annotator not in labels:
        raise ValueError(f'no annotator is named "{judge_annotator}": there are {", ".join(labels)}')
    document = {"n": len(case_ids), "raters": list(labels), **_agreement(labels, case_ids, groups)}
    if judge_annotator is None:
        return document
    people = {name: column for name, column in labels.items() if name != judge_annotator}
    if len(people) > 1:
        document["people"] = _agreement(people, case_ids, groups)
    document["judge"] = [
        {"annotator": name, **_agreement({judge_annotator: labels[judge_annotator], name: column}, case_ids, groups)}
        for name, column in people.items()
    ]
    return document


def rater_labels(frame: pandas.DataFrame) -> tuple[Labels, list[str], list[str]]:
    """Each rater's label on each case (None for none), the case ids, and each case's group."""
    case_ids = list(dict.fromkeys(frame["case_id"]))
    place = {case: index for index, case in enumerate(case_ids)}
    labels: Labels = {str(name): [None] * len(case_ids) for name in sorted(set(frame["annotator"]))}
    groups = [f"case {index}" for index in range(len(case_ids))]
    columns = [frame[name].tolist() for name in ("case_id", "annotator", "label", "group")]
    for case, who, label, group in zip(*columns, strict=True):
        labels[str(who)][place[case]] = label
        groups[place[case]] = group or groups[place[case]]
    return labels, case_ids, groups


def _agreement(labels: Labels, case_ids: Sequence[str], groups: list[str]) -> dict[str, Any]:
    """Over the cases with two labels or more: only a group that repeats among those makes them dependent."""
    used = [i for i in range(len(case_ids)) if sum(column[i] is not None for column in labels.values()) >= 2]
    kept = {name: [column[i] for i in used] for name, column in labels.items()}
    design = design_of(len(used), group=[groups[i] for i in used])
    found = rater_agreement(kept, [case_ids[i] for i in used], design=design)
    is_used = set(used)
    left_out = tuple(case for i, case in enumerate(case_ids) if i not in is_used)
    document: dict[str, Any] = tidy(replace(found, cases_left_out=left_out).to_dict())
    return document
