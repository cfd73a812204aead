from django.apps import AppConfig


class LabelingConfig(AppConfig):
    name = "labeling"

    def ready(self) -> None:
        from cases.access import register_blindness
        from cases.sinks import register_sink
        from labeling import services

        register_sink(services.store_imported_labels)
        register_blindness(services.cases_to_stay_blind_about)
