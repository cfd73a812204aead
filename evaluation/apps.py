from django.apps import AppConfig


class EvaluationConfig(AppConfig):
    name = "evaluation"

    def ready(self) -> None:
        from cases.sinks import register_sink
        from evaluation import services

        register_sink(services.store_imported_scores)
