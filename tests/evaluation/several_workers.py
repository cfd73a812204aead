"""Run in a process of its own on a real database: several workers drain one run; prints what was asked how often."""

from __future__ import annotations

import asyncio
import json
import os
import threading
from collections import Counter

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "workbench.settings")
WORKERS, CASES = 4, 120


def main() -> None:
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    print(json.dumps(drain_together()))


def drain_together() -> dict[str, object]:
    from evaluation import services
    from evaluation.judges import JUDGES, Overlap
    from evaluation.models import Run, Score
    from evaluation.services import draining

    asked: Counter[str] = Counter()

    class Slow(Overlap):
        async def ask(self, prompt, shape, **values):
            asked[values["units"][0]] += 1
            await asyncio.sleep(0.01)
            return await super().ask(prompt, shape, **values)

    JUDGES["overlap"], draining.BATCH = Slow, 5
    run = start()
    done: list[int] = []
    threads = [threading.Thread(target=lambda: done.append(work(services, run.pk))) for _ in range(WORKERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    services.drain_runs()  # whoever came last found the others' jobs still leased
    return {
        "asked": max(asked.values()),
        "cases": len(asked),
        "scores": Score.objects.count(),
        "done": sum(done),
        "workers": sum(n > 0 for n in done),
        "state": Run.objects.get(pk=run.pk).state,
    }


def work(services, pk: int) -> int:
    from django.db import connection

    from evaluation.models import Run

    try:
        return services.drain(Run.objects.select_related("evaluator__project").get(pk=pk))
    finally:
        connection.close()


def start():
    from cases.models import Case, Dataset, DatasetRow, DatasetVersion
    from cases.services import default_project, implicit_sample
    from evaluation.services import evaluator_version, start_run

    project = default_project()
    dataset = Dataset.objects.create(project=project, name="desk")
    version = DatasetVersion.objects.create(dataset=dataset, number=1, content_hash="1")
    for n in range(CASES):
        case = Case.objects.create(
            dataset=dataset,
            external_id=f"c{n}",
            input="Returns?",
            actual_output=f"Returns take {n} days.",
            retrieval_context=["Returns take 14 days."],
            judged_hash=str(n),
        )
        DatasetRow.objects.create(version=version, case=case, position=n, row_hash=str(n))
    return start_run(implicit_sample(version), evaluator_version(project, "faithfulness", "overlap"))


if __name__ == "__main__":
    main()
