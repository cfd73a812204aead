"""Which cases stand behind a count of the confusion matrix: the very ones that were counted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from calibration.statistics.passing import passes
from calibration.statistics.usable import usable_cases

if TYPE_CHECKING:
    import pandas


def cases_in_cell(table: pandas.DataFrame, kind: str, threshold: float) -> list[dict[str, Any]]:
    """Rows with ``case_id, case_pk, human, score``, the plainest mistakes first.

    ``kind`` is a cell of the matrix, or "undecided" or "unscored". A soft label counts here as what most people said.
    """
    if kind == "undecided":
        return [_row(row) for _place, row in table[table["undecided"]].iterrows()]
    if kind == "unscored":
        missing = table[table["score"].isna() & ~table["not_applicable"]]
        return [_row(row) for _place, row in missing.iterrows()]
    counted = set(usable_cases(table).case_id)
    rows = [_row(row) for _place, row in table.iterrows() if row["case_id"] in counted]
    wanted = [row for row in rows if _cell(row, threshold) == kind]
    return sorted(wanted, key=lambda row: -row["score"] if kind.endswith("_pass") else row["score"])


def _cell(row: dict[str, Any], threshold: float) -> str:
    is_passed = bool(passes(row["score"], threshold))
    is_right = is_passed == (row["human"] == "pass")
    return f"{'true' if is_right else 'false'}_{'pass' if is_passed else 'fail'}"


def _row(row: Any) -> dict[str, Any]:
    human, score = row["human_pass"], row["score"]
    return {
        "case_id": row["case_id"],
        "case_pk": int(row["case_pk"]),
        "human": "" if human != human else "pass" if human >= 0.5 else "fail",
        "score": None if score != score else float(score),
        "unscored_reason": row["unscored_reason"],
    }
