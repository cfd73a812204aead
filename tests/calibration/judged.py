"""Cases that people ruled on and a judge scored, imported as a file would be: (human, score[, group]) a row."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.test import Client

from calibration import services
from cases.models import Project
from cases.services import resolve_sample
from tests.cast import imported, row

JUDGE = "good-judge"
METRIC = "faithfulness"
ASK = {"sample": "tea", "metric": METRIC, "judge": JUDGE}


def judged(project: Project, folder: Path, rows: Sequence[tuple[Any, ...]], dataset: str = "tea") -> None:
    """Human 1 pass, 0 fail, None not labeled; score None unscored. Alice labels, ids are c-01, c-02 ..."""
    imported(project, folder, [judged_row(number, *each) for number, each in enumerate(rows, 1)], dataset)


def judged_row(number: int, human: Any, score: float | None, group: str = "") -> dict[str, Any]:
    verdicts = [{"annotator": "alice", "metric": METRIC, "verdict": "pass" if human else "fail"}]
    scores = [{"judge": JUDGE, "metric": METRIC, "score": score}]
    return row(
        f"c-{number:02}",
        human=verdicts if human is not None else [],
        judge=scores if score is not None else [],
        **({"metadata": {"group_id": group}} if group else {}),
    )


def as_csv(folder: Path, rows: Sequence[tuple[Any, ...]]) -> Path:
    """The same rows as a table for the command line."""
    lines = ["case_id,human,score,group"]
    for number, (human, score, *group) in enumerate(rows, 1):
        cells = (f"c-{number:02}", "" if human is None else human, "" if score is None else repr(score), *group)
        lines.append(",".join(map(str, cells)) + ("" if group else ","))
    path = folder / "table.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def live_data(client: Client, project: Project, **asked: Any) -> dict[str, str]:
    """The data attributes of the draft page's live part."""
    return data_attributes(client.get(f"/p/{project.slug}/calibrations/draft/", {**ASK, **asked}).content.decode())


def data_attributes(page: str) -> dict[str, str]:
    from html.parser import HTMLParser

    found: dict[str, str] = {}

    class Live(HTMLParser):
        def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
            named = dict(attributes)
            if named.get("id") == "live":
                found.update({name[5:]: value or "" for name, value in named.items() if name.startswith("data-")})

    Live().feed(page)
    return found


def outputs(page: str) -> dict[str, str]:
    """The texts of the page by the name that its script knows them by."""
    from html.parser import HTMLParser

    found: dict[str, str] = {}

    class Outputs(HTMLParser):
        name = ""

        def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
            self.name = dict(attributes).get("data-out") or ""
            found.setdefault(self.name, "")

        def handle_data(self, data: str) -> None:
            if self.name:
                found[self.name] = found[self.name] or data

        def handle_endtag(self, tag: str) -> None:
            self.name = ""

    Outputs().feed(page)
    return {name: text for name, text in found.items() if name}


def address(project: Project, rest: str = "") -> str:
    return f"/p/{project.slug}/calibrations/{rest}"


def api(project: Project, rest: str) -> str:
    return f"/api/p/{project.slug}/{rest}"


def freeze(project: Project, **asked: Any) -> Any:
    sample = resolve_sample(project, "tea")
    evaluator = services.resolve_evaluator(project, sample, METRIC, JUDGE)
    return services.freeze(sample, evaluator, services.ask_for(sample, evaluator, **asked))


def figures(page: str) -> dict[str, str]:
    """The coefficients of agreement as they are printed."""
    return dict(re.findall(r'data-figure="(\w+)">([^<]*)<', page))


def queries_of(act: Any) -> int:
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    with CaptureQueriesContext(connection) as captured:
        act()
    return len(captured)
