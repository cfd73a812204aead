"""A calibration document as a page of plain text."""

from __future__ import annotations

from typing import Any

from calibration.statistics.sentences import BLINDNESS_UNKNOWN, COSTS_NOT_STATED, METRICS_DIFFER, UNDECIDED, tell
from calibration.statistics.usable import NOT_OF_THE_SCORE

#: What to type, beside a sentence that leaves open what to do: a page has fields for it instead.
FLAGS = {
    BLINDNESS_UNKNOWN: "--labels-blind asserts it, on record.",
    COSTS_NOT_STATED: "For example: --cost-false-pass 5 --cost-false-fail 1.",
}


def report_text(document: dict[str, Any]) -> str:
    """What a person reads first, from the document alone. Ends with a newline."""
    parts = [*_head(document), *_warnings(document), *_choice(document), *_evidence(document), *_state(document)]
    return "\n".join(parts) + "\n"


def _head(document: dict[str, Any]) -> list[str]:
    judge, metric = document["evaluator"]["judge"] or "the judge", document["metric"] or "the score"
    left_out = [f"  left out: {each['count']} ({each['reason']})" for each in left_out_besides(document)]
    rule = f" by {document['rule']}" if document["rule"] else ""
    counts = f"{document['n_human_pass']} passed and {document['n_human_fail']} failed by people{rule}"
    return [f"Calibration of {metric} by {judge}", *_asked(document), f"{document['n']} cases: {counts}", *left_out]


def _asked(document: dict[str, Any]) -> list[str]:
    asked, scored = document["human_metric"], document["metric"]
    return [tell(METRICS_DIFFER, asked=asked, scored=scored)] if asked and scored else []


def left_out_besides(document: dict[str, Any]) -> list[dict[str, Any]]:
    """What was left out and is not told by a warning already: neither unscored nor undecided."""
    told = {UNDECIDED} if document["undecided"] else set()
    of_the_score = document["unscored"] > 0
    return [
        each
        for each in document["excluded"]
        if each["reason"] not in told and not (of_the_score and each["reason"] not in NOT_OF_THE_SCORE)
    ]


def _warnings(document: dict[str, Any]) -> list[str]:
    told = zip(document["warnings"], document["warning_codes"], strict=True)
    return [f"! {_with_flag(text)}" for text, code in told if code != "metrics_differ"]


def _choice(document: dict[str, Any]) -> list[str]:
    cost = document["cost"]
    lines = ["", f"Costs: a false pass {cost['false_pass']:g}, a false fail {cost['false_fail']:g}"]
    if document["recommended_threshold"] is None:
        return [*lines, document["reason"]]
    lines.append(f"Recommended threshold: {document['recommended_threshold']:.10g}. {document['reason']}")
    for each in document["optimal_intervals"]:
        lines.append(f"  cheapest: {interval_text(each['low'], each['high'])}, cost {each['cost_total']:g}")
    return lines


def _evidence(document: dict[str, Any]) -> list[str]:
    lines, shown = [""], document["headline"]
    for at in (document["at_recommended"], document["at_half"]):
        if at:
            lines.append(f"At {at['threshold']:.10g}: cost {at['cost_total']:g}")
            lines += [f"  {name}: {rate_text(at[name + '_rate'])}" for name in ("false_pass", "false_fail")]
    lines.append(f"At {shown['threshold']:.10g}: human fails caught {rate_text(shown['fails_caught'])}")
    lines.append(f"  human passes kept {rate_text(shown['passes_kept'])}")
    return [*lines, *_agreement(document["agreement"]), *_honesty(document)]


def _agreement(found: dict[str, Any]) -> list[str]:
    lines = [f"Agreement of judge and people: raw {rate_text(found['raw'])}"]
    lines += [f"  {name}: {_figure_text(found[name])}" for name in ("kappa", "ac1", "alpha")]
    return lines + [f"  {text}" for text in (found["explanation"], found["advice"]) if text]


def _honesty(document: dict[str, Any]) -> list[str]:
    nested, lines = document["nested"], []
    if nested["cost_per_case"] is None:
        lines.append(f"Cost on new cases: {nested['reason']}")
    else:
        error = "" if nested["se"] is None else f", standard error {nested['se']:.3g}"
        lines.append(f"Cost on new cases: {nested['cost_per_case']:.3g} per case{error}")
    if certificate := document.get("certificate"):
        lines.append(_certificate_text(certificate))
    return lines


def _certificate_text(certificate: dict[str, Any]) -> str:
    promise = f"false-pass rate at most {certificate['alpha']:g} with confidence {1 - certificate['delta']:g}"
    if certificate["holds"]:
        return f"Certificate: {promise}, from {certificate['certified_from']:.10g} on"
    return f"No certificate ({promise}); missing: {'; '.join(certificate['missing'])}"


def _state(document: dict[str, Any]) -> list[str]:
    flag = " (exploratory)" if document["exploratory"] else ""
    return [
        "",
        f"State: {document['state']}{flag}",
        *(f"  {_with_flag(reason)}" for reason in document["state_reasons"] if reason != document["reason"]),
    ]


def _with_flag(sentence: str) -> str:
    return f"{sentence} {FLAGS[sentence]}" if sentence in FLAGS else sentence


def rate_text(rate: dict[str, Any]) -> str:
    """``5 of 45 = 11.1 %, 95 % interval 4.8 % to 23.5 % (Wilson)``, or the words for what is undefined."""
    if rate["value"] is None:
        return str(rate["method"])
    share = f"{rate['count']:g} of {rate['of']:g} = {100 * rate['value']:.1f} %"
    if rate["low"] is None:
        return f"{share} ({rate['method']})"
    return f"{share}, {100 * rate['low']:.1f} % to {100 * rate['high']:.1f} % ({rate['method']})"


def interval_text(low: float | None, high: float | None) -> str:
    """``(0.6, 0.625]`` at nine places; the ends are named."""
    if low is None:
        return "pass all" if high is None else f"{high:.10g} or less (pass all)"
    return f"above {low:.10g} (pass none)" if high is None else f"({low:.10g}, {high:.10g}]"


def _figure_text(figure: dict[str, Any]) -> str:
    return figure["reason"] if figure["value"] is None else f"{figure['value']:.3f}"
