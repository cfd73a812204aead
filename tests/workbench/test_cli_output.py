"""What a command prints and writes is safe where it lands: in a CI log, in a closed pipe, on a full disk."""

from __future__ import annotations

import io
import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from django.db import DatabaseError, DataError, IntegrityError, OperationalError, ProgrammingError

from workbench.cli import main
from workbench.cli.errors import CliError
from workbench.cli.output import emit_json, one_line, open_output, say, say_lines, warn, write_file

ROOT = Path(__file__).resolve().parents[2]
TABLE = "case_id,human,score\n" + "".join(f"c{n},{'pass' if n > 9 else 'fail'},{n / 20}\n" for n in range(20))
COMMAND = "::error file=x::boo"
HOSTILE = f"\n{COMMAND}\r\x1b[31m\x9b1m\u2028\u202e##[group]x"


def shell(command: str, *argv: str, before: str = "pass", **more: object) -> subprocess.CompletedProcess[str]:
    """``workbench ARGV`` followed by what the shell does with its output."""
    call = f"import sys; {before}; from workbench.cli import main; sys.exit(main(sys.argv[1:]))"
    line = f"{shlex.join([sys.executable, '-c', call, *argv])} {command}"
    return subprocess.run(line, shell=True, cwd=ROOT, capture_output=True, text=True, check=False, timeout=60, **more)


# Lines


@pytest.mark.parametrize("tell", [say, warn])
def test_a_value_makes_neither_a_line_nor_a_command(capsys, tell):
    tell(f"name: {HOSTILE}")
    tell(COMMAND)
    tell(f"  {COMMAND}")
    printed = capsys.readouterr()
    lines = (printed.out + printed.err).splitlines()
    assert lines[0] == f"name: \\n{COMMAND}\\r\\x1b[31m\\x9b1m\\u2028\\u202e# #[group]x"
    assert lines[1:] == [": :error file=x::boo", "  : :error file=x::boo"]


def test_our_own_lines_stay_lines_and_addresses_and_headings_stay_as_they_are(capsys):
    say_lines("## Report\nhttp://[::1]:8000/\nĐạt\u00a0là\tpass")
    assert capsys.readouterr().out == "## Report\nhttp://[::1]:8000/\nĐạt là pass\n"


def test_a_line_of_a_report_that_data_made_starts_no_command(capsys):
    say_lines(f"metric a\n{COMMAND}")
    assert capsys.readouterr().out == "metric a\n: :error file=x::boo\n"


def test_json_is_the_same_value_without_anything_a_terminal_obeys(capsys):
    emit_json({"id": HOSTILE, "ok": "Đạt", "lone": "\ud800"})
    text = capsys.readouterr().out
    assert json.loads(text) == {"id": HOSTILE, "ok": "Đạt", "lone": "\ud800"}
    assert "Đạt" in text
    assert "##" not in text
    assert all(letter.isprintable() or letter == "\n" for letter in text)


def test_a_console_without_vietnamese_gets_escapes_and_json_stays_json(monkeypatch):
    narrow = io.BytesIO()
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(narrow, encoding="ascii"))
    say("Đạt")
    emit_json({"x": "é \U0001f600"})
    sys.stdout.flush()
    first, _, rest = narrow.getvalue().partition(b"\n")
    assert first == b"\\u0110\\u1ea1t"
    assert json.loads(rest) == {"x": "é \U0001f600"}


def test_names_in_a_table_reach_no_ci_log_as_commands(tmp_path, capsys):
    labels = tmp_path / "labels.csv"
    rows = [f'"{HOSTILE} {n}","{who}",pass\n' for n in range(3) for who in (COMMAND, "bob")]
    labels.write_text("case_id,annotator,label\n" + "".join(rows) + f'only,"{HOSTILE}",fail\n', encoding="utf-8")
    assert main(["agreement", str(labels)]) == 0
    table = tmp_path / "table.csv"
    table.write_text(TABLE, encoding="utf-8")
    assert main(["calibrate", str(table), "--judge-name", HOSTILE, "--metric", HOSTILE]) == 0
    assert main(["calibrate", str(table), "--map", HOSTILE]) == 4
    printed = capsys.readouterr()
    _holds_no_command(printed.out + printed.err)


@pytest.mark.django_db
def test_ids_in_a_file_reach_no_ci_log_as_commands(tmp_path, capsys):
    cases = [{"id": HOSTILE, "input": "q", "actual_output": text} for text in "ab"]
    cases += [{"id": "fine", "input": "q", "actual_output": "a"}, {"id": COMMAND, "input": 5}]
    (tmp_path / "f.jsonl").write_text("\n".join(map(json.dumps, cases)), encoding="utf-8")
    main(["import", str(tmp_path / "f.jsonl"), "--dataset", "d"])
    printed = capsys.readouterr()
    _holds_no_command(printed.out + printed.err)


def _holds_no_command(text: str) -> None:
    assert all(letter.isprintable() or letter == "\n" for letter in text)
    assert not [line for line in text.split("\n") if line.lstrip().startswith("::") or "##[" in line]


# Streams


def test_what_was_asked_for_must_be_printable(tmp_path):
    (tmp_path / "t.csv").write_text(TABLE)
    for command, words in ((">&-", "the standard output is closed"), (">/dev/full", "No space left on device")):
        done = shell(command, "calibrate", str(tmp_path / "t.csv"), "--json")
        assert (done.returncode, len(done.stderr.splitlines()), words in done.stderr) == (4, 1, True)
    done = shell(">/dev/full 2>/dev/full", "calibrate", str(tmp_path / "t.csv"))
    assert done.returncode == 4
    assert shell("2>&-", "calibrate", "no.csv").returncode == 4


# Files


@pytest.mark.parametrize("before", [b"what was there", None])
def test_a_full_disk_leaves_the_file_as_it_was(tmp_path, before):
    table, target = tmp_path / "t.csv", tmp_path / "out"
    table.write_text(TABLE)
    if before:
        target.write_bytes(before)
    # No file may grow beyond 16 bytes: the write fails as on a full disk.
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (16, 16)); sys.dont_write_bytecode = True"
    for option in ("--report", "--export"):
        done = shell("", "calibrate", str(table), option, str(target), before=limit)
        assert done.returncode == 4
        assert done.stderr.splitlines() == [f"workbench: {target}: cannot be written (File too large)"]
        assert sorted(tmp_path.iterdir()) == ([target, table] if before else [table])
        assert not before or target.read_bytes() == before


def test_a_file_is_replaced_with_its_mode_and_through_its_link(tmp_path):
    real, link = tmp_path / "real", tmp_path / "link"
    real.write_text("old")
    real.chmod(0o640)
    link.symlink_to(real)
    write_file(link, b"new")
    assert (link.is_symlink(), real.read_bytes(), real.stat().st_mode & 0o777) == (True, b"new", 0o640)


def test_a_new_file_has_the_mode_of_any_new_file(tmp_path):
    write_file(tmp_path / "ours", b"x")
    (tmp_path / "any").touch()
    assert (tmp_path / "ours").stat().st_mode == (tmp_path / "any").stat().st_mode


def test_a_device_is_written_to_and_a_folder_is_no_file(tmp_path):
    write_file("/dev/null", b"x")
    assert not Path("/dev/null").is_file()
    for path in (tmp_path, tmp_path / "no" / "file"):
        with pytest.raises(CliError, match="cannot be written"):
            write_file(path, b"x")


def test_a_stream_that_ends_early_leaves_nothing(tmp_path):
    with pytest.raises(ZeroDivisionError), open_output(tmp_path / "f") as stream:
        stream.write(b"%d" % (1 / 0))
    assert list(tmp_path.iterdir()) == []


def test_no_output_replaces_what_is_read_or_another_output(tmp_path, capsys):
    table = tmp_path / "t.csv"
    table.write_text(TABLE)
    for options in (["--report", str(table)], ["--export", str(table)], ["--report", "x", "--export", "./x"]):
        assert main(["calibrate", str(table), *options]) == 4
        assert "give another path" in capsys.readouterr().err
    assert table.read_text() == TABLE
    assert main(["export", str(table), "--format", "gate", "--output", str(table)]) == 4
    assert table.read_text() == TABLE


@pytest.mark.parametrize("name", ["r.html", "R.HTM"])
def test_a_report_is_plain_text_and_is_not_called_a_page(tmp_path, capsys, name):
    (tmp_path / "t.csv").write_text(TABLE)
    assert main(["calibrate", str(tmp_path / "t.csv"), "--report", str(tmp_path / name)]) == 4
    assert "reports are plain text now; give a name such as report.txt" in capsys.readouterr().err
    assert not (tmp_path / name).exists()


@pytest.mark.django_db
@pytest.mark.parametrize("argv", [["import", "{}", "--dataset", "d"], ["calibrate", "{}"], ["agreement", "{}"]])
def test_a_pipe_that_nobody_writes_to_is_refused_at_once(tmp_path, capsys, argv):
    os.mkfifo(tmp_path / "pipe.csv")
    assert main([word.format(tmp_path / "pipe.csv") for word in argv]) == 4
    assert "no regular file" in capsys.readouterr().err


# Disks and databases


TROUBLE = [
    OperationalError("database or disk is full"),
    OperationalError("disk I/O error"),
    OperationalError("attempt to write a readonly database"),
    OperationalError("database is locked"),
    OperationalError("unable to open database file"),
    OperationalError('connection to server at "db" failed: FATAL:  database "x" does not exist\nLINE 2'),
    OperationalError("could not extend file: No space left on device"),
    DatabaseError("file is not a database"),
    DatabaseError("database disk image is malformed"),
    DataError("value too long for type character varying(200)\nCONTEXT: x"),
    OSError(28, "No space left on device", "/x"),
    OSError(5, "Input/output error"),
]


@pytest.mark.parametrize("error", TROUBLE, ids=str)
def test_trouble_with_a_disk_or_a_database_is_one_sentence(monkeypatch, capsys, error):
    monkeypatch.setattr("workbench.cli._run", lambda argv: (_ for _ in ()).throw(error))
    assert main(["import"]) == 4
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    assert str(error.args[-1] if not isinstance(error, OSError) else error.strerror).split("\n")[0] in lines[0]
    assert "workbench migrate" not in lines[0]


@pytest.mark.parametrize("text", ["no such table: x", 'relation "x" does not exist', "no such column: y"])
def test_a_database_behind_this_version_is_told_with_the_fix(monkeypatch, capsys, text):
    error = (ProgrammingError if "relation" in text else OperationalError)(text)
    monkeypatch.setattr("workbench.cli._run", lambda argv: (_ for _ in ()).throw(error))
    assert main(["import"]) == 4
    assert "Run: workbench migrate" in capsys.readouterr().err


@pytest.mark.parametrize("error", [IntegrityError("UNIQUE constraint failed"), ProgrammingError("syntax"), KeyError(1)])
def test_a_defect_keeps_its_traceback(monkeypatch, error):
    monkeypatch.setattr("workbench.cli._run", lambda argv: (_ for _ in ()).throw(error))
    with pytest.raises(type(error)):
        main(["import"])


def test_a_file_that_is_no_database_is_one_sentence(tmp_path):
    (tmp_path / "workbench.sqlite3").write_text("this is no database, whatever its name says" * 40)
    environ = {"WORKBENCH_HOME": str(tmp_path), "PATH": os.environ["PATH"]}
    for argv in (["round", "list"], ["migrate"]):
        done = shell("", *argv, env=environ)
        assert (done.returncode, done.stderr.splitlines()) == (
            4,
            ["workbench: the database cannot be used: file is not a database"],
        )


def test_one_line_is_idempotent():
    assert one_line(one_line(HOSTILE)) == one_line(HOSTILE)
