"""The demo: loaded whole or not at all, marked, kept apart, and gone when asked."""

from __future__ import annotations

import pytest
from django.urls import reverse

from cases.models import Case, Project, User
from evaluation.services import drain_runs
from labeling.models import Annotator, Round
from labeling.services import next_slot, save_draft
from workbench.cli import main
from workbench.demo.load import load_demo, password_file, remove_demo


@pytest.fixture
def demo(db, settings, tmp_path):
    settings.WORKBENCH_HOME = tmp_path
    return load_demo()


def test_loading_twice_makes_one_demo(demo):
    assert load_demo() == demo
    assert Project.objects.filter(is_demo=True).count() == 1
    # 28 English and 12 Vietnamese cases.
    assert Case.objects.filter(dataset__project=demo).count() == 40


def test_the_password_is_one_random_word_that_only_its_owner_reads(demo):
    assert User.objects.get(username="alice").check_password(password_file().read_text().strip())
    assert password_file().stat().st_mode & 0o777 == 0o600


@pytest.mark.django_db(transaction=True)
def test_the_demo_goes_in_one_click_also_after_use(client, settings, tmp_path):
    settings.WORKBENCH_HOME = tmp_path
    project = load_demo()
    alice = Annotator.objects.get(project=project, name="alice")
    slot = next_slot(Round.objects.get(), alice)
    save_draft(slot, alice, {"critique": "half a thought"})
    while drain_runs():
        pass
    client.force_login(User.objects.get(username="lena"))
    answer = client.post(reverse("demo-remove", args=[project.slug]), follow=True)
    assert answer.status_code == 200
    assert not Project.objects.exists()
    assert not Case.objects.exists()
    assert list(User.objects.values_list("username", flat=True)) == ["lena"]


def test_the_command_takes_the_demo_away_and_brings_it_back(demo, capsys):
    assert main(["demo", "--remove"]) == 0
    assert not Project.objects.filter(is_demo=True).exists()
    assert main(["demo", "--no-serve"]) == 0
    assert Project.objects.filter(is_demo=True).count() == 1


def test_people_who_work_elsewhere_stay(demo):
    from cases.services import create_project, grant

    grant(create_project("Own"), User.objects.get(username="bob"), "annotator")
    remove_demo(demo)
    assert set(User.objects.values_list("username", flat=True)) == {"lena", "bob"}


def test_only_the_demo_is_removed_by_that_click(client, demo):
    from cases.services import create_project

    lena = User.objects.get(username="lena")
    own = create_project("Own", user=lena)
    client.force_login(lena)
    assert client.post(reverse("demo-remove", args=[own.slug])).status_code == 404
    client.force_login(User.objects.get(username="alice"))
    assert client.post(reverse("demo-remove", args=[demo.slug])).status_code == 404
    assert Project.objects.filter(pk__in=[own.pk, demo.pk]).count() == 2


def test_every_page_of_the_demo_says_that_it_is_made_up(client, demo):
    client.force_login(User.objects.get(username="lena"))
    for path in ("", "cases/", "rounds/", "runs/", "agreement/", "calibrations/", "calibrations/1/"):
        assert "Demo data, made up." in client.get(f"/p/demo/{path}").content.decode(), path
