"""Four people work one queue at once, on a database file of its own; prints what was served. Run by test_slots."""

from __future__ import annotations

import json
import os
import threading

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "workbench.settings")
django.setup()

from django.core.management import call_command  # noqa: E402
from django.db import connections  # noqa: E402

from cases.models import Project  # noqa: E402
from labeling import services  # noqa: E402
from labeling.models import Label  # noqa: E402
from tests.labeling.conftest import make_round, make_sample, person, say, seat  # noqa: E402


def main() -> None:
    call_command("migrate", verbosity=0)
    project = Project.objects.create(slug="many", name="Many")
    people = [person(project, f"p{n}") for n in range(4)]
    round_ = make_round(make_sample(project, [f"c-{n}" for n in range(24)]), people, overlap=1)
    served: list[int] = []
    errors: list[str] = []

    def work(user) -> None:
        try:
            while slot := services.next_slot(round_, seat(round_, user)):
                served.append(slot.pk)
                say(slot, user)
        except Exception as error:
            errors.append(repr(error))
        finally:
            connections.close_all()

    threads = [threading.Thread(target=work, args=[user]) for user in people]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(
        json.dumps(
            {
                "served": len(served),
                "different": len(set(served)),
                "labels": Label.objects.count(),
                "errors": errors,
            }
        )
    )


main()
