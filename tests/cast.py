"""The fixed cast: Alice and Bob label, Lena leads, Chuck has no access. And small data for them to work on."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cases.importers import ImportOptions
from cases.models import DatasetVersion, Project, Role, User
from cases.services import create_project, grant, import_file


def person(name: str, project: Project | None = None, role: str = Role.ANNOTATOR) -> User:
    user = User.objects.create_user(name, password=f"{name}'s long password")
    if project is not None:
        grant(project, user, role)
    return user


def project_of_lena(name: str = "Tea shop") -> tuple[Project, User]:
    lena = person("lena")
    return create_project(name, user=lena), lena


def write_jsonl(path: Path, rows: Sequence[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def row(id: str, answer: str | None = "An answer.", **more: Any) -> dict[str, Any]:
    return {"id": id, "input": f"Question {id}?", "actual_output": answer, "retrieval_context": ["A chunk."]} | more


def imported(project: Project, folder: Path, rows: Sequence[dict[str, Any]], dataset: str = "tea") -> DatasetVersion:
    path = write_jsonl(folder / f"{dataset}.jsonl", rows)
    import_file(project=project, dataset_name=dataset, path=path, options=ImportOptions())
    version = project.datasets.get(name=dataset).latest
    assert version is not None
    return version
