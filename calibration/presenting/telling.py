"""The result of a calibration in one English sentence, counts before percent. Plain Python: no Django."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def headline_sentence(document: Mapping[str, Any]) -> str:
    """ "At 0.61 this judge catches 40 of 45 bad answers and wrongly stops 21 of 150 good ones." """
    found, kept = document["headline"]["fails_caught"], document["headline"]["passes_kept"]
    known = [
        _counted(found, "catches", "bad answers"),
        _counted(_complement(kept), "wrongly stops", "good ones"),
    ]
    unknown = [
        text
        for rate, text in (
            (found, "People failed no answer, so it is unknown how many it catches."),
            (kept, "People passed no answer, so it is unknown how many it wrongly stops."),
        )
        if rate["value"] is None
    ]
    said = " and ".join(filter(None, known))
    sentence = f"At {document['headline']['threshold']:.10g} this judge {said}." if said else ""
    reason = document["reason"] if document["recommended_threshold"] is None else ""
    return " ".join(filter(None, [reason, sentence, *(unknown if said else ())]))


def _counted(rate: Mapping[str, Any], verb: str, what: str) -> str:
    if rate["value"] is None:
        return ""
    ends = "" if rate["low"] is None else f" ({100 * rate['low']:.0f}-{100 * rate['high']:.0f} %)"
    return f"{verb} {rate['count']:g} of {rate['of']:g} {what}{ends}"


def _complement(rate: Mapping[str, Any]) -> dict[str, Any]:
    if rate["value"] is None:
        return dict(rate)
    ends = {"low": None, "high": None} if rate["low"] is None else {"low": 1 - rate["high"], "high": 1 - rate["low"]}
    return {"value": 1 - rate["value"], "count": rate["of"] - rate["count"], "of": rate["of"], **ends}
