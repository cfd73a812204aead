"""``make bench-start``: how long commands take as whole processes, and the product to its first page.

Each figure is the median of several runs after one that is not counted. The gate's limit is 0.5 s, a second
``make demo`` has 5 s to its first answer.
"""

from __future__ import annotations

import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RUNS = 11

CONFIG = {"metric": "faithfulness", "threshold": 0.7, "min_pass_rate": 0.8}
SCORES = [{"id": f"c{i}", "score": 0.9} for i in range(200)]


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        rows = [(name, *measured(command, home)) for name, command in commands(home).items()]
        rows.append(("a second `make demo` to its first page", *measured_start(home)))
    print(f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, median of {RUNS} runs")
    print(f"{'':<44} {'wall s':>8} {'CPU s':>8}")
    for name, wall, cpu in rows:
        print(f"{name:<44} {wall:>8.3f} {cpu:>8.3f}")


def commands(home: Path) -> dict[str, list[str]]:
    config, scores, table = home / "config.json", home / "scores.json", home / "table.csv"
    config.write_text(json.dumps(CONFIG))
    scores.write_text(json.dumps(SCORES))
    table.write_text(
        "case_id,human,score\n" + "".join(f"c{i},{'pass' if i % 3 else 'fail'},{i % 97 / 96}\n" for i in range(200))
    )
    one_file = home / "gate.py"
    one_file.write_bytes(one_file_gate())
    workbench = str(ROOT / "bin" / "workbench")
    return {
        "python -c pass (the floor)": [sys.executable, "-c", "pass"],
        "workbench gate, 200 scores": [workbench, "gate", "--config", str(config), "--scores", str(scores)],
        "the one-file gate, 200 scores": [sys.executable, str(one_file), "--scores", str(scores)],
        "workbench calibrate TABLE, 200 rows": [workbench, "calibrate", str(table)],
    }


def one_file_gate() -> bytes:
    sys.path.insert(0, str(ROOT))
    from calibration.exporters import EXPORTERS

    return EXPORTERS["gate"].render(CONFIG)


def measured(command: list[str], home: Path) -> tuple[float, float]:
    environment = {**os.environ, "WORKBENCH_HOME": str(home / "home")}
    times = [
        timed(lambda: subprocess.run(command, env=environment, capture_output=True, check=True))
        for _ in range(RUNS + 1)
    ]
    return tuple(statistics.median(each) for each in zip(*times[1:], strict=True))  # type: ignore[return-value]


def timed(act: Callable[[], object]) -> tuple[float, float]:
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    act()
    wall, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measured_start(home: Path) -> tuple[float, float]:
    """From the second start of the demo to the line that gives its address."""
    start(home)
    times = [timed(lambda: start(home)) for _ in range(3)]
    return statistics.median(wall for wall, _ in times), statistics.median(cpu for _, cpu in times)


def start(home: Path) -> None:
    environment = {**os.environ, "WORKBENCH_HOME": str(home / "demo"), "PYTHONUNBUFFERED": "1"}
    command = [sys.executable, str(ROOT / "bin" / "bootstrap.py"), "demo", "--port", "0"]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as serving:
        assert serving.stdout
        for line in serving.stdout:
            if "http://" in line:
                break
        serving.terminate()
        serving.stdout.read()


if __name__ == "__main__":
    main()
