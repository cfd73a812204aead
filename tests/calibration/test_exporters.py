"""What is exported is what gates: the config, and the one-file gate that behaves as `workbench gate` does."""

from __future__ import annotations

import ast
import hashlib
import json
import shlex
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from calibration.config import build_config, config_bytes
from calibration.exporters import EXPORTERS
from calibration.exporters.gate_file import MODULES
from tests.calibration.gating import Run, save
from tests.calibration.test_config import document
from workbench.cli import main

ROOT = Path(__file__).resolve().parents[2]
JUDGE = {"judge": "gpt-x"}
TRUSTED = build_config(document(state="trusted", evaluator=JUDGE), min_pass_rate=0.5, min_scored_share=0.5)


def test_the_json_export_is_the_config():
    assert EXPORTERS["json"].render(TRUSTED) == config_bytes(TRUSTED)


def test_the_one_file_gate_has_the_same_bytes_each_time():
    assert EXPORTERS["gate"].render(TRUSTED) == EXPORTERS["gate"].render(dict(reversed(TRUSTED.items())))


def test_the_one_file_gate_needs_the_standard_library_alone():
    tree = ast.parse(EXPORTERS["gate"].render(TRUSTED))
    imported = {
        name.split(".")[0]
        for node in ast.walk(tree)
        for name in (
            [alias.name for alias in node.names] if isinstance(node, ast.Import)
            else [node.module] if isinstance(node, ast.ImportFrom) else []
        )
    }  # fmt: skip
    assert imported <= sys.stdlib_module_names


def defined(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    inner = [leaf for leaf in ast.walk(node) if isinstance(leaf, ast.Name)]
    return [leaf.id for leaf in inner if isinstance(leaf.ctx, ast.Store)]


def test_no_two_modules_of_the_gate_define_the_same_name():
    # They are joined into one file: the later definition would quietly replace the earlier.
    sources = [ROOT / (module.replace(".", "/") + ".py") for module in MODULES]
    trees = [ast.parse(source.read_text(encoding="utf-8")) for source in sources]
    names = Counter(name for tree in trees for node in tree.body for name in defined(node))
    assert [name for name, count in names.items() if count > 1] == []
    assert {source.name for source in (ROOT / "calibration" / "gating").glob("*.py")} - {"__init__.py"} == {
        source.name for source in sources if source.parent.name == "gating"
    }


def test_any_text_survives_inside_the_file():
    hostile = build_config(document(warnings=['"""', "\\", '\\"""', "\u2028 đạt \ud800", "{CONFIG}"]))
    names: dict[str, object] = {"__name__": "gate"}
    exec(compile(EXPORTERS["gate"].render(hostile), "gate.py", "exec"), names)
    assert json.loads(str(names["CONFIG"])) == hostile


@pytest.fixture(scope="module")
def one_file(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("gate") / "gate.py"
    path.write_bytes(EXPORTERS["gate"].render(TRUSTED))
    return path


def run_file(path: Path, *argv: str) -> Run:
    # -I: no environment, no site folder of ours, no current folder to import from.
    command = [sys.executable, "-I", "-S", str(path), *argv]
    done = subprocess.run(command, cwd=path.parent, capture_output=True, text=True, check=False)
    return Run(done.returncode, done.stdout + done.stderr)


NAMED = {"judge": "gpt-x"}
MATRIX = {
    "pass": ({**NAMED, "scores": [0.9, 0.7]}, 0),
    "dust": ({**NAMED, "scores": [0.61, 0.6099999999999999]}, 0),
    "below": ({**NAMED, "scores": [0.9, 0.1, 0.1]}, 1),
    "errors": ({**NAMED, "scores": [{"id": "a", "error": "rate limit"}]}, 2),
    "empty": ([], 2),
    "no bytes": ("", 2),
    "another judge": ({"judge": "gpt-y", "scores": [0.9]}, 3),
    "no judge": ([0.9], 3),
    "not json": ("{", 4),
    "twice": ({**NAMED, "scores": [{"id": "a", "score": 1}, {"id": "a", "score": 1}]}, 4),
    "csv": ("id,score,judge\na,0.9,gpt-x\nb,0.1,gpt-x\n", 0),
    "deepeval": ({"testCases": [{"name": "a", "metricsData": [{"name": "Faithfulness", "score": 0.9}]}]}, 3),
    "promptfoo": ({"results": {"results": [{"testIdx": 0, "namedScores": {"faithfulness": 0.9}}]}}, 3),
    "hostile": ({**NAMED, "scores": [{"id": "\n::error::\u202e", "score": 0.1}]}, 1),
}


@pytest.mark.parametrize("case", MATRIX)
def test_the_one_file_gate_behaves_as_the_command_does(one_file, tmp_path, capsys, case):
    scores, code = MATRIX[case]
    paths = [str(save(tmp_path, "config.json", config_bytes(TRUSTED))), str(save(tmp_path, "s", scores))]
    options = ["--junit", str(tmp_path / "j.xml"), "--summary", str(tmp_path / "s.md")]
    assert main(["gate", "--config", paths[0], "--scores", paths[1], *options]) == code
    printed = capsys.readouterr()
    reports = [(tmp_path / name).read_bytes() for name in ("j.xml", "s.md")]
    assert run_file(one_file, "--scores", paths[1], *options) == Run(code, printed.out + printed.err)
    assert [(tmp_path / name).read_bytes() for name in ("j.xml", "s.md")] == reports


@pytest.mark.parametrize(
    ("argv", "code"),
    [
        (["--assume-evaluator", "--json"], 0),
        (["--expect-sha256", hashlib.sha256(config_bytes(TRUSTED)).hexdigest(), "--assume-evaluator"], 0),
        (["--expect-sha256", "0" * 64], 4),
        (["--config", "config.json"], 4),  # the config is inside
        (["--nonsense"], 4),
    ],
)
def test_the_options_of_the_one_file_gate(one_file, tmp_path, argv, code):
    assert run_file(one_file, "--scores", str(save(tmp_path, "s.json", [0.9])), *argv).code == code


@pytest.mark.parametrize("option", ["--junit", "--summary"])
def test_the_one_file_gate_does_not_overwrite_itself(one_file, tmp_path, option):
    before = one_file.read_bytes()
    scores = str(save(tmp_path, "s.json", {**NAMED, "scores": [0.9]}))
    for own_name in ("gate.py", str(one_file)):
        run = run_file(one_file, "--scores", scores, option, own_name)
        assert (run.code, f"{option} would overwrite the gate itself" in run.text) == (4, True)
    assert one_file.read_bytes() == before


@pytest.mark.parametrize("closed", [">&-", ">&- 2>&-", ">/dev/full"])
def test_the_one_file_gate_with_a_closed_output_is_no_pass(one_file, tmp_path, closed):
    scores = str(save(tmp_path, "s.json", {**NAMED, "scores": [0.9]}))
    command = shlex.join([sys.executable, "-I", "-S", str(one_file), "--scores", scores])
    done = subprocess.run(f"{command} {closed}", shell=True, capture_output=True, text=True, check=False, timeout=30)
    assert (done.returncode, "Traceback" in done.stderr) == (4, False)


# workbench export


def test_export_prints_the_config_and_writes_the_gate(tmp_path, capsys):
    path = str(save(tmp_path, "calibration.json", document()))
    assert main(["export", path, "--format", "json", "--min-pass-rate", "0.9", "--expires", "2030-01-31"]) == 0
    expected = build_config(document(), min_pass_rate=0.9, expires="2030-01-31")
    assert capsys.readouterr().out.encode() == config_bytes(expected)
    assert main(["export", path, "--format", "gate", "--output", str(tmp_path / "gate.py")]) == 0
    assert (tmp_path / "gate.py").read_bytes() == EXPORTERS["gate"].render(build_config(document()))


def test_export_tells_machines_what_to_pin(tmp_path, capsys):
    path = str(save(tmp_path, "calibration.json", document()))
    assert main(["export", path, "--format", "gate", "--output", str(tmp_path / "gate.py"), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["config_sha256"] == hashlib.sha256(config_bytes(build_config(document()))).hexdigest()


def test_export_of_no_recommendation_writes_nothing_and_exits_1(tmp_path, capsys):
    path = str(save(tmp_path, "calibration.json", document(recommended_threshold=None, reason="one class")))
    assert main(["export", path, "--format", "gate", "--output", str(tmp_path / "gate.py")]) == 1
    assert not (tmp_path / "gate.py").exists()
    assert "one class" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("argv", "sentence"),
    [
        (["--format", "yaml"], "invalid choice"),
        (["--format", "json", "--min-pass-rate", "2"], "min_pass_rate: must be a number from 0 to 1, not 2.0"),
        (["--format", "json", "--expires", "soon"], "expires: must be a date"),
        ([], "--format"),
    ],
)
def test_export_with_bad_options_is_4(tmp_path, capsys, argv, sentence):
    assert main(["export", str(save(tmp_path, "c.json", document())), *argv]) == 4
    assert sentence in capsys.readouterr().err


@pytest.mark.parametrize("content", ["{", [], {"metric": "f"}])
def test_export_of_something_else_is_4(tmp_path, content):
    assert main(["export", str(save(tmp_path, "c.json", content)), "--format", "json"]) == 4
