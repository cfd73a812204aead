import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

from evaluation import doorbell, tasks

ROOT = Path(__file__).resolve().parents[2]


def test_without_a_broker_nobody_is_rung(settings, monkeypatch):
    settings.CELERY_BROKER_URL = ""
    monkeypatch.setattr(tasks.drain_run, "delay", nobody_listens)
    doorbell.ring(SimpleNamespace(pk=7))


def test_with_a_broker_the_message_is_the_runs_id(settings, monkeypatch):
    settings.CELERY_BROKER_URL = "redis://127.0.0.1:6379/0"
    sent = []
    monkeypatch.setattr(tasks.drain_run, "delay", sent.append)
    doorbell.ring(SimpleNamespace(pk=7))
    assert sent == [7]


def test_the_message_goes_to_the_broker_of_the_settings(tmp_path):
    script = (
        "import django; django.setup()\n"
        "from evaluation.tasks import drain_run\n"
        "print(drain_run.app.main, drain_run.app.conf.broker_url, drain_run.name)"
    )
    chosen = {"CELERY_BROKER_URL": "redis://127.0.0.1:9/3", "WORKBENCH_HOME": str(tmp_path)}
    found = subprocess.run(
        [sys.executable, "-c", script],
        env=os.environ | chosen | {"DJANGO_SETTINGS_MODULE": "workbench.settings"},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert found.stdout.split() == ["workbench", "redis://127.0.0.1:9/3", "evaluation.tasks.drain_run"]


def nobody_listens(pk: int) -> None:
    raise AssertionError(f"run {pk} was rung without a broker")
