"""Every address of a project that answers to GET, found in the resolver: a page added later is among them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from django.apps import apps
from django.urls import URLPattern, URLResolver, get_resolver

from cases.models import Project

#: Names in addresses that are not the number of a row.
WORDS = ("slug", "name", "kind")


def every_get(project: Project, *, number: str = "") -> list[str]:
    """The addresses with every value that their parts can take; ``number`` instead of each number where given."""
    from calibration.exporters import EXPORTERS

    names = [*project.datasets.values_list("name", flat=True), *project.samples.values_list("name", flat=True)]
    known = {"slug": [project.slug], "name": names, "kind": list(EXPORTERS)}
    numbers = [number] if number else _numbers()
    found = []
    for route, parts in _routes(get_resolver(), ""):
        for values in itertools.product(*(known.get(part, numbers) for part in parts)):
            found.append("/" + _filled(route, parts, values))
    return found


def _routes(resolver: Any, before: str) -> Iterator[tuple[str, list[str]]]:
    for each in resolver.url_patterns:
        route = before + str(each.pattern)
        if isinstance(each, URLResolver):
            yield from _routes(each, route)
        elif isinstance(each, URLPattern) and "<slug:slug>" in route:
            yield route, [part.split(">")[0].rpartition(":")[2] for part in route.split("<")[1:]]


def _filled(route: str, parts: list[str], values: tuple[Any, ...]) -> str:
    from urllib.parse import quote

    pieces = route.split("<")
    filled = pieces[0]
    for piece, value in zip(pieces[1:], values, strict=True):
        filled += quote(str(value)) + piece.partition(">")[2]
    assert len(parts) == len(values)
    return filled


def _numbers() -> list[int]:
    """Every primary key in the database, and one more."""
    models = [model for name in ("cases", "labeling", "evaluation", "calibration") for model in _models(name)]
    largest = max(model._default_manager.order_by("-pk").values_list("pk", flat=True).first() or 0 for model in models)
    return list(range(1, min(largest, 12) + 2))


def _models(name: str) -> list[Any]:
    return [
        model for model in apps.get_app_config(name).get_models() if model._meta.pk.get_internal_type() != "UUIDField"
    ]
