"""The gate and its config in one Python file that CI runs without installing anything."""

from __future__ import annotations

import ast
import importlib.util
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from calibration.config import config_bytes
from calibration.exporters.base import Exporter

#: In the order in which they need each other. They import names only, so that joined they still find them.
MODULES = (
    "calibration.gating.files",
    "calibration.gating.evaluators",
    "calibration.gating.rules",
    "calibration.gating.readings",
    "calibration.gating.foreign",
    "calibration.gating.shapes",
    "calibration.gating.decision",
    "calibration.gating.reports",
    "calibration.gate",
)

HEADER = '''\
#!/usr/bin/env python3
"""Do these scores pass the calibrated config? Written by `workbench export --format gate`.

    python gate.py --scores FILE [--junit FILE] [--summary FILE] [--json]

Needs Python 3.11 or later and nothing else. Exit codes: 0 pass, 1 below the pass rate, 2 not measured,
3 the calibration does not apply, 4 bad input, bad usage or a crash. Do not edit: export it again.
"""

from __future__ import annotations

'''
FOOTER = """

if __name__ == "__main__":
    sys.exit(main(embedded=CONFIG))
"""


def render_gate(config: Mapping[str, Any]) -> bytes:
    """The same config and the same version give the same bytes."""
    sources = [_source(module) for module in MODULES]
    imports = sorted({line for source in sources for line in _imports(source)})
    bodies = [
        f"# {module.rpartition('.')[2]}\n\n{_body(source)}" for module, source in zip(MODULES, sources, strict=True)
    ]
    text = "\n\n\n".join([HEADER + "\n".join(imports), _embedded(config), *bodies]) + "\n" + FOOTER
    return text.encode()


def _source(module: str) -> str:
    spec = importlib.util.find_spec(module)
    if spec is None or spec.origin is None:
        raise ImportError(f"{module} has no source to export")
    return Path(spec.origin).read_text(encoding="utf-8")


def _embedded(config: Mapping[str, Any]) -> str:
    """A raw string takes ASCII JSON as it is: JSON never holds three quotes in a row."""
    return f'CONFIG = r"""{config_bytes(config).decode("ascii")}"""'


def _imports(source: str) -> list[str]:
    """The module's imports from the standard library, one name a line."""
    found = []
    for node in ast.parse(source).body:
        if isinstance(node, ast.Import):
            found += [f"import {alias.name}" for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not _is_ours(node):
            found += [f"from {node.module} import {alias.name}" for alias in node.names]
    return found


def _is_ours(node: ast.ImportFrom) -> bool:
    module = node.module or ""
    return module == "__future__" or module.startswith("calibration.")


def _body(source: str) -> str:
    """The module from its first statement on that is neither its docstring nor an import.

    Comments above that statement belong to it, so the cut is after the last import.
    """
    statements = ast.parse(source).body
    skipped = [node for node in statements if isinstance(node, (ast.Import, ast.ImportFrom)) or _is_text(node)]
    end = max((node.end_lineno or 0) for node in skipped)
    return "\n".join(source.split("\n")[end:]).strip("\n")


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


GATE_FILE = Exporter(render_gate, "gate.py", "text/x-python")
