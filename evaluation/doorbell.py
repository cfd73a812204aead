"""Tells a Celery worker that there is work. Without a broker the worker beside the pages finds it by itself."""

from __future__ import annotations

from django.conf import settings

from evaluation.models import Run


def ring(run: Run) -> None:
    """The message is the run's id. The database is the truth: a lost message costs a wait, not a run."""
    if settings.CELERY_BROKER_URL:
        from evaluation.tasks import drain_run  # Celery is imported only where there is a broker to talk to

        drain_run.delay(run.pk)
