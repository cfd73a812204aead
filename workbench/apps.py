from django.apps import AppConfig
from django.conf import settings


class WorkbenchConfig(AppConfig):
    name = "workbench"

    def ready(self) -> None:
        if settings.CELERY_BROKER_URL:
            import workbench.celery  # noqa: F401  makes it the application that tasks are sent through
