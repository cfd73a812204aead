"""The Celery application: the doorbell. The database stays the truth, so messages carry ids only."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "workbench.settings")

app = Celery("workbench")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.conf.update(task_serializer="json", accept_content=["json"], task_acks_late=True, worker_prefetch_multiplier=1)
app.autodiscover_tasks()
