"""One click arrives four times at once, then its undo, on a database of its own; prints what came of it.

Run by test_hostile.
"""

from __future__ import annotations

import json
import os
import threading
import uuid

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "workbench.settings")
django.setup()

from django.core.management import call_command  # noqa: E402
from django.db import connections  # noqa: E402

from cases.models import Project  # noqa: E402
from labeling import services  # noqa: E402
from labeling.models import Label  # noqa: E402
from tests.labeling.conftest import make_round, make_sample, person, say, seat  # noqa: E402

CLICKS = 4


def at_once(act) -> list[str]:
    """The error of each click, or nothing."""
    errors: list[str] = []
    together = threading.Barrier(CLICKS)

    def click() -> None:
        try:
            together.wait()
            act()
        except Exception as error:
            errors.append(repr(error))
        finally:
            connections.close_all()

    threads = [threading.Thread(target=click) for _ in range(CLICKS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return errors


def main() -> None:
    call_command("migrate", verbosity=0)
    project = Project.objects.create(slug="many", name="Many")
    alice = person(project, "alice")
    round_ = make_round(make_sample(project, [f"c-{n}" for n in range(5)]), [alice])
    errors: list[str] = []
    while slot := services.next_slot(round_, seat(round_, alice)):
        click = uuid.uuid4()
        errors += at_once(lambda slot=slot, click=click: say(slot, alice, client_id=click))
    mine, click = Label.objects.earliest("pk").slot, uuid.uuid4()
    errors += at_once(lambda: services.undo_label(mine, seat(round_, alice), based_on=1, client_id=click))
    print(json.dumps({"labels": Label.objects.count(), "errors": errors}))


main()
