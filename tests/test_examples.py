"""The examples in docstrings say what the code does."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import calibration
import cases
import evaluation
import labeling


def modules_of(*packages):
    for package in packages:
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if ".migrations" not in found.name:
                yield importlib.import_module(found.name)


def test_every_example_in_a_docstring_holds():
    modules = modules_of(cases, labeling, evaluation, calibration)
    results = {module.__name__: doctest.testmod(module) for module in modules}
    assert {name: result for name, result in results.items() if result.failed} == {}
    assert sum(result.attempted for result in results.values()) > 20  # and they were found
