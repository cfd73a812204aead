"""Celery's way in: the message is a run's id, the work is in the database."""

from __future__ import annotations

from celery import shared_task

from evaluation import services
from evaluation.models import Run


@shared_task(acks_late=True)  # type: ignore[untyped-decorator]
def drain_run(run_id: int) -> None:
    services.drain(Run.objects.select_related("evaluator__project").get(pk=run_id))
