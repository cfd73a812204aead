"""A threshold that a person chose beside the recommended one: what the document then says, and what is exported.

Plain Python: no Django, no numpy, since an export needs neither.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from calibration.gating.rules import quantise
from calibration.statistics import sentences as say

Document = Mapping[str, Any]


def threshold_in_force(document: Document) -> float | None:
    """The chosen threshold, else the recommended one; None when there is neither."""
    threshold: float | None = document.get("chosen", {}).get("threshold", document.get("recommended_threshold"))
    return threshold


def at_in_force(document: Document) -> Mapping[str, Any] | None:
    """Rates, counts and cost at that threshold."""
    found: Mapping[str, Any] | None = document.get("chosen") or document.get("at_recommended")
    return found


def headline_in_force(document: Document) -> Mapping[str, Any]:
    """Human fails caught and human passes kept at that threshold."""
    found: Mapping[str, Any] = document.get("chosen") or document["headline"]
    return found


def certificate_in_force(document: Document) -> Mapping[str, Any] | None:
    """The certificate as it stands for that threshold; None when none was asked for."""
    found: Mapping[str, Any] | None = document.get("chosen", document).get("certificate")
    return found


def cheapest_range(document: Document, threshold: float) -> dict[str, float | None] | None:
    """The optimal interval around the threshold: open below, closed above; null is pass all, pass none."""
    return next((ends for ends in map(_ends, document.get("optimal_intervals") or ()) if _holds(ends, threshold)), None)


def is_choice(document: Document, threshold: float) -> bool:
    """Whether the threshold decides otherwise than the recommended one. Without one nothing can be chosen."""
    recommended = document["recommended_threshold"]
    return recommended is not None and not _holds(cheapest_range(document, recommended) or {}, threshold)


def with_choice(document: Document, at: Mapping[str, Any], reason: str) -> dict[str, Any]:
    """The document with ``chosen`` beside the untouched recommendation, and what speaks against the choice.

    ``at``: threshold, rates, counts, cost and headline of the chosen threshold.
    """
    because = " ".join(reason.split())
    chosen = {"threshold": at["threshold"], "reason": because, **at, **_certificate(document, at["threshold"])}
    doubts = _doubts(document, chosen)
    return {
        **document,
        "chosen": chosen,
        "state": "inconclusive" if doubts and document["state"] == "trusted" else document["state"],
        "state_reasons": [*document["state_reasons"], *doubts],
        "warnings": [*document["warnings"], _told(document, chosen)],
        "warning_codes": [*document["warning_codes"], "chosen"],
    }


def _ends(interval: Mapping[str, Any]) -> dict[str, float | None]:
    return {"low": interval.get("low"), "high": interval.get("high")}


def _holds(span: Mapping[str, float | None], threshold: float) -> bool:
    low, high, steps = span.get("low"), span.get("high"), quantise(threshold)
    return (low is None or quantise(low) < steps) and (high is None or steps <= quantise(high))


def _certificate(document: Document, threshold: float) -> dict[str, Any]:
    """What was promised holds from ``certified_from`` on, whoever named the threshold."""
    asked = document.get("certificate")
    if not asked:
        return {}
    first = asked["certified_from"]
    if first is None:
        return {"certificate": asked}
    if quantise(threshold) >= quantise(first):
        return {"certificate": {**asked, "holds": True, "missing": []}}
    missing = say.tell(say.HIGHER_THAN_CHOSEN, first=f"{first:.10g}", chosen=f"{threshold:.10g}")
    return {"certificate": {**asked, "holds": False, "missing": [missing]}}


def _doubts(document: Document, chosen: Mapping[str, Any]) -> list[str]:
    """What the choice takes from a trusted calibration: its evidence is of the cheapest threshold."""
    as_good = document["curve"]["stability"]["as_good_as"] or []
    doubts = [] if any(_holds(span, chosen["threshold"]) for span in as_good) else [say.CHOSEN_IS_NOT_AS_GOOD]
    certificate = chosen.get("certificate")
    if certificate and not certificate["holds"] and document["certificate"]["holds"]:
        doubts.append(say.tell(say.NO_CERTIFICATE, missing="; ".join(certificate["missing"])))
    return doubts


def _told(document: Document, chosen: Mapping[str, Any]) -> str:
    extra = chosen["cost_per_case"] - document["at_recommended"]["cost_per_case"]
    return say.tell(
        say.CHOSEN,
        chosen=f"{chosen['threshold']:.10g}",
        cheapest=f"{document['recommended_threshold']:.10g}",
        extra=f"{extra:.3g}",
        because=chosen["reason"],
    )
