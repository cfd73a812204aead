"""One outcome, told four ways: lines for a CI log, JSON, JUnit and a Markdown summary."""

from __future__ import annotations

import json
import re
from typing import Any

from calibration.gating.decision import BAD_INPUT, PASS, CaseResult, MetricResult, Outcome
from calibration.gating.files import listed, printable

RESULTS = ("pass", "below threshold", "not measured", "does not apply", "bad input")
STATUSES = ("pass", "fail", "unscored", "not_applicable")
CASES_IN_SUMMARY = 50


def headline(outcome: Outcome) -> str:
    words = outcome.reasons[0].text if outcome.reasons else _share_sentence(outcome)
    return f"gate: {RESULTS[outcome.code].upper()}, exit {outcome.code}: {words}"


def text_lines(outcome: Outcome, config_sha256: str) -> list[str]:
    """Each line starts with words of our own, so that no name can start one."""
    if outcome.code == BAD_INPUT:
        return [_line(headline(outcome))]
    lines = [headline(outcome), *(f"  also: {reason.text}" for reason in outcome.reasons[1:])]
    lines += [f"  {_metric_sentence(metric)}" for metric in outcome.metrics]
    lines += [f"  unscored: {sentence}" for sentence in _untold(outcome)]
    failing = [f"{case.id} ({case.why})" for case in outcome.cases if case.status == "fail"]
    if failing:
        lines.append(f"  failing: {listed(failing)}")
    lines += [f"  {note}" for note in _notes(outcome)]
    return [_line(line) for line in [*lines, f"  config sha256: {config_sha256}"]]


def json_text(outcome: Outcome, config_sha256: str | None) -> str:
    text = json.dumps(_document(outcome, config_sha256), indent=2, allow_nan=False)
    # Both can only stand inside a string; so written they are the same text, but no workflow command.
    return text.replace("##", "#\\u0023").replace("::", ":\\u003a")


def _document(outcome: Outcome, config_sha256: str | None) -> dict[str, Any]:
    scored = outcome.count("pass") + outcome.count("fail")
    rest = scored + outcome.count("unscored")
    return {
        "result": RESULTS[outcome.code],
        "exit": outcome.code,
        "line": _line(headline(outcome)),
        "reasons": [{"exit": reason.code, "text": reason.text} for reason in outcome.reasons],
        "calibrated": None if outcome.config is None else not outcome.overrides,
        "overrides": outcome.overrides,
        "not_checked": outcome.unchecked,
        "cases": len(outcome.cases),
        **{status: outcome.count(status) for status in STATUSES},
        "pass_rate": outcome.count("pass") / scored if scored else None,
        "scored_share": scored / rest if rest else None,
        "min_pass_rate": outcome.config.min_pass_rate if outcome.config else None,
        "min_scored_share": outcome.config.min_scored_share if outcome.config else None,
        "metrics": [_metric_document(metric) for metric in outcome.metrics],
        "failing": _named(outcome, "fail"),
        "unscored_cases": _named(outcome, "unscored"),
        "config_sha256": config_sha256,
    }


def _metric_document(metric: MetricResult) -> dict[str, Any]:
    rule = metric.rule
    counts = {status: metric.counts.get(status, 0) for status in STATUSES}
    return {"metric": rule.metric, "role": rule.role, "threshold": rule.threshold, **counts}


def _named(outcome: Outcome, status: str) -> list[dict[str, str]]:
    return [{"id": case.id, "why": case.why} for case in outcome.cases if case.status == status]


def junit_text(outcome: Outcome) -> str:
    """The build's verdict is the first test, each case one more: failing, unscored (an error) or skipped."""
    tests = [_decision_test(outcome), *map(_case_test, outcome.cases)]
    body = "\n".join(tests)
    counts = " ".join(
        f'{attribute}="{body.count(f"<{element} ")}"'
        for attribute, element in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped"))
    )
    head = f'name="gate" tests="{len(tests)}" {counts}'
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f"<testsuites {head}>\n<testsuite {head}>\n{body}\n</testsuite>\n</testsuites>\n"
    )


def _decision_test(outcome: Outcome) -> str:
    problem = "" if outcome.code == PASS else "failure" if outcome.code == 1 else "error"
    return _test("gate", "decision", problem, headline(outcome))


def _case_test(case: CaseResult) -> str:
    problem = {"fail": "failure", "unscored": "error", "not_applicable": "skipped"}.get(case.status, "")
    return _test("gate.cases", case.id, problem, case.why)


def _test(group: str, name: str, problem: str, message: str) -> str:
    start = f'<testcase classname="{group}" name="{_xml(name)}"'
    return f'{start}><{problem} message="{_xml(message)}"/></testcase>' if problem else f"{start}/>"


def _xml(text: str) -> str:
    """Characters that XML forbids are spelled out by ``printable``; the rest is escaped."""
    entities = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"}
    return "".join(entities.get(c, c) for c in printable(text, 1000))


def summary_text(outcome: Outcome, config_sha256: str | None) -> str:
    """Markdown for a job's summary page."""
    lines = [f"## Judge gate: {RESULTS[outcome.code]}", "", _markdown(headline(outcome)), ""]
    lines += [f"- {_markdown(reason.text)}" for reason in outcome.reasons[1:]]
    lines += [f"- {_markdown(text)}" for text in [*_untold(outcome), *_notes(outcome)]]
    if outcome.metrics:
        lines += ["", "| metric | role | threshold | pass | fail | unscored | not applicable |"]
        lines += ["|---|---|---|---|---|---|---|", *map(_metric_row, outcome.metrics)]
    lines += _case_table(outcome)
    if config_sha256:
        lines += ["", f"Config sha256: {config_sha256}"]
    return "\n".join(lines) + "\n"


def _metric_row(metric: MetricResult) -> str:
    counts = " | ".join(str(metric.counts.get(status, 0)) for status in STATUSES)
    rule = metric.rule
    return f"| {_markdown(rule.metric)} | {rule.role} | {rule.threshold:.12g} | {counts} |"


def _case_table(outcome: Outcome) -> list[str]:
    cases = [case for case in outcome.cases if case.status in ("fail", "unscored")]
    if not cases:
        return []
    rows = [f"| {_markdown(case.id)} | {case.status} | {_markdown(case.why)} |" for case in cases]
    more = ["", f"{len(rows) - CASES_IN_SUMMARY} more are not shown."] if len(rows) > CASES_IN_SUMMARY else []
    return ["", "| case | status | why |", "|---|---|---|", *rows[:CASES_IN_SUMMARY], *more]


def _markdown(text: str) -> str:
    """Every character that Markdown or HTML could read as markup becomes an entity."""
    return re.sub(r"[^\w ,;.()/=-]|_", lambda found: f"&#{ord(found[0])};", printable(text, 1000))


def _share_sentence(outcome: Outcome) -> str:
    passed, failed = outcome.count("pass"), outcome.count("fail")
    asked = f"{outcome.config.min_pass_rate:.12g}" if outcome.config else "none"
    return f"{passed} of {passed + failed} scored cases pass, the config asks for a share of {asked}"


def _metric_sentence(metric: MetricResult) -> str:
    rule = metric.rule
    counts = ", ".join(f"{metric.counts.get(status, 0)} {status.replace('_', ' ')}" for status in STATUSES)
    return f"{rule.role} {printable(rule.metric)} >= {rule.threshold:.12g}: {counts}"


def _untold(outcome: Outcome) -> list[str]:
    """Why cases are unscored, where no reason has said it already."""
    sentences = [sentence for metric in outcome.metrics for sentence in metric.unscored]
    return [text for text in sentences if not any(text in reason.text for reason in outcome.reasons)]


def _notes(outcome: Outcome) -> list[str]:
    """What was overridden, what could not be checked, what the calibration itself warns of."""
    notes = [f"UNCALIBRATED, because of {text}" for text in outcome.overrides]
    notes += [f"not checked: {text}" for text in outcome.unchecked]
    if outcome.config and outcome.config.exploratory:
        notes.append("exploratory: the choices behind this threshold were made after seeing the labels")
    if outcome.config:
        notes += [f"warning of the calibration: {printable(text, 300)}" for text in outcome.config.warnings[:10]]
    return notes


def _line(text: str) -> str:
    return printable(text, 2000)
