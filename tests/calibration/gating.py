"""How the tests drive the gate: files in a folder, a call, the exit code and all that was printed."""

from __future__ import annotations

import io
import json
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple

from calibration.gate import main
from calibration.gating.shapes import read_scores

JUDGE = {"judge": "gpt-x", "version": "3"}


class Run(NamedTuple):
    code: int
    text: str

    @property
    def first_line(self) -> str:
        return self.text.splitlines()[0]


def config(**changes: Any) -> dict[str, Any]:
    """One gate at 0.7 that nothing but the scores can fail: trusted, no date, no evaluator."""
    full = {
        "schema": "workbench.config/1",
        "metrics": [{"metric": "faithfulness", "threshold": 0.7, "role": "gate"}],
        "decision": {"min_pass_rate": 0.5, "min_scored_share": 0.5},
        "state": "trusted",
    }
    return {**full, **changes}


def two_gates(**changes: Any) -> dict[str, Any]:
    metrics = [{"metric": "faithfulness", "threshold": 0.7}, {"metric": "relevancy", "threshold": 0.5}]
    return config(metrics=metrics, **changes)


def monitored() -> dict[str, Any]:
    metrics = [
        {"metric": "faithfulness", "threshold": 0.7},
        {"metric": "tone", "threshold": 0.5, "role": "monitor", "evaluator": JUDGE},
    ]
    return config(metrics=metrics)


def for_judge(**changes: Any) -> dict[str, Any]:
    return config(metrics=[{"metric": "faithfulness", "threshold": 0.7, "evaluator": JUDGE}], **changes)


def save(folder: Path, name: str, content: Any) -> Path:
    """Bytes and text as they are, anything else as JSON."""
    raw = content if isinstance(content, bytes) else None
    if raw is None:
        raw = (content if isinstance(content, str) else json.dumps(content)).encode()
    path = folder / name
    path.write_bytes(raw)
    return path


def gate(folder: Path, settings: Any, scores: Any, *options: str, name: str = "scores.json") -> Run:
    config_path, scores_path = save(folder, "config.json", settings), save(folder, name, scores)
    return run_gate("--config", str(config_path), "--scores", str(scores_path), *options)


def run_gate(*argv: str) -> Run:
    printed = io.StringIO()
    with redirect_stdout(printed), redirect_stderr(printed):
        code = main(argv)
    return Run(code, printed.getvalue())


def rows(*scores: Any, metric: str | None = None) -> list[dict[str, Any]]:
    named = {} if metric is None else {"metric": metric}
    return [{"id": f"x{n}", "score": score, **named} for n, score in enumerate(scores)]


def readings(content: object, name: str = "s.json") -> dict[tuple[str | None, str | None], object]:
    """(case, metric) -> the score, else why there is none."""
    raw = content if isinstance(content, bytes) else content.encode() if isinstance(content, str) else None
    scores = read_scores(raw if raw is not None else json.dumps(content).encode(), name)
    return {
        (row.case, row.metric): row.reading.score if row.reading.kind == "scored" else row.reading.reason
        for row in scores.rows
    }
