import json
import os
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from cases.models import AuditEntry, Exposure
from labeling import services
from labeling.models import Label, Lease, Slot, SlotState

from .conftest import label_all, make_round, make_sample, say, seat, take


def lapse(slot: Slot) -> None:
    Slot.objects.filter(pk=slot.pk).update(lease_expires_at=timezone.now() - timedelta(seconds=1))


def test_nobody_gets_a_case_twice_and_everybody_gets_every_case(round_, alice, bob):
    seen = []
    while slot := services.next_slot(round_, seat(round_, alice)):
        seen.append(slot.case.external_id)
        say(slot, alice)
    assert sorted(seen) == ["t-1", "t-2", "t-3"]
    label_all(round_, bob, dict.fromkeys(seen, "fail"))
    assert set(Slot.objects.values_list("state", flat=True)) == {SlotState.DONE}


def test_asking_again_gives_the_same_open_case(round_, alice):
    first, again = take(round_, alice), take(round_, alice)
    assert (first.pk, first.lease_token) == (again.pk, again.lease_token)
    assert Lease.objects.count() == 1


def test_cases_that_others_began_come_first(sample, alice, bob, carol):
    # Overlap 2 of three people. Alice passes the first case on and labels the second: Bob is to complete that one.
    round_ = make_round(sample, [alice, bob, carol], overlap=2)
    first = take(round_, alice)
    services.skip_slot(first, seat(round_, alice), "unclear")
    Slot.objects.filter(case=first.case_id).update(is_begun=False)
    second = take(round_, alice)
    say(second, alice)
    assert take(round_, bob).case_id == second.case_id


def test_a_lapsed_lease_goes_to_the_next_person(sample, alice, bob):
    round_ = make_round(sample, [alice, bob], overlap=1)
    slot = take(round_, alice)
    lapse(slot)
    assert take(round_, bob).pk == slot.pk


def test_a_late_label_takes_the_place_again_while_it_is_free(sample, alice, bob):
    round_ = make_round(sample, [alice, bob], overlap=1)
    slot = take(round_, alice)
    services.release(slot, seat(round_, alice))
    label = say(slot, alice)
    assert label.slot_id == slot.pk
    assert Slot.objects.filter(case=slot.case_id).count() == 1


def test_a_late_label_for_a_full_case_is_kept_as_one_more(sample, alice, bob):
    round_ = make_round(sample, [alice, bob], overlap=1)
    slot = take(round_, alice)
    lapse(slot)
    say(take(round_, bob), bob, "fail")
    late = say(slot, alice, "pass")
    assert late.slot.place == 2
    assert Label.objects.current().filter(case=slot.case_id).count() == 2


def test_a_late_label_finds_the_place_that_was_given_out_meanwhile_full(sample, alice, bob):
    round_ = make_round(sample, [alice, bob], overlap=1)
    slot = take(round_, alice)
    lapse(slot)
    taken = take(round_, bob)  # Bob has it on his desk, not answered yet
    late = say(slot, alice)
    assert late.slot.place == 2
    assert say(taken, bob).slot_id == slot.pk


def test_a_token_that_was_never_given_is_refused(round_, alice, bob):
    slot = take(round_, alice)
    with pytest.raises(services.SlotLost):
        say(slot, bob)


def test_a_skipped_case_goes_to_others_only(sample, alice, bob):
    round_ = make_round(sample, [alice, bob], overlap=1)
    skipped = take(round_, alice)
    services.skip_slot(skipped, seat(round_, alice), "not_my_field")
    assert take(round_, alice).case_id != skipped.case_id
    assert take(round_, bob).case_id == skipped.case_id


def test_a_paused_round_gives_nothing_new_but_takes_what_is_on_the_desk(round_, alice, bob, lena):
    slot = take(round_, alice)
    services.pause_round(round_, lena)
    assert services.next_slot(round_, seat(round_, bob)) is None
    assert say(slot, alice).revision == 1


def test_a_closed_round_takes_no_label(round_, alice, lena):
    slot = take(round_, alice)
    services.close_round(round_, lena)
    slot.round.refresh_from_db()
    with pytest.raises(services.RoundClosed):
        say(slot, alice)


def test_goldens_are_not_given_out(project, alice):
    sample = make_sample(project, ["g-1"], actual_output=None)
    with pytest.raises(services.LabelingError, match="no case with an answer"):
        make_round(sample, [alice])


def test_more_labels_a_case_than_people_is_refused(sample, alice):
    with pytest.raises(services.LabelingError, match="nobody gets a case twice"):
        make_round(sample, [alice], overlap=2)


def test_a_label_is_blind_unless_scores_were_seen_or_the_round_trains(project, sample, alice, bob):
    round_ = make_round(sample, [alice, bob], overlap=1)
    slot = take(round_, alice)
    Exposure.objects.create(user=alice, case=slot.case)
    assert say(slot, alice).blind == "no"
    assert say(take(round_, bob), bob).blind == "yes"
    training = make_round(sample, [alice, bob], is_training=True, name="training")
    assert say(take(training, bob), bob).blind == "no"


def test_labels_after_a_reopening_are_not_known_to_be_blind(round_, alice, lena):
    services.close_round(round_, lena)
    services.reopen_round(round_, lena)
    assert say(take(round_, alice), alice).blind == "unknown"


def test_who_has_a_seat_stays_blind_until_the_close(round_, alice, lena, sample):
    from cases.models import Case

    cases = Case.objects.all()
    assert services.cases_to_stay_blind_about(alice, cases).count() == 3
    assert services.cases_to_stay_blind_about(lena, cases).count() == 0
    services.close_round(round_, lena)
    assert services.cases_to_stay_blind_about(alice, cases).count() == 0


def test_every_act_is_in_the_log(round_, alice, lena):
    slot = take(round_, alice)
    say(slot, alice)
    services.close_round(round_, lena)
    assert {"open round", "submit label", "close round"} <= set(AuditEntry.objects.values_list("action", flat=True))


def race(**environment: str) -> dict:
    done = subprocess.run(
        [sys.executable, "-m", "tests.labeling.race_for_slots"],
        cwd=Path(__file__).parent.parent.parent,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_people_at_once_are_never_given_the_same_place(tmp_path):
    # A database file of its own: SQLite in memory has no writers side by side.
    raced = race(WORKBENCH_HOME=str(tmp_path), DATABASE_URL="")
    assert raced == {"served": 24, "different": 24, "labels": 24, "errors": []}


@pytest.mark.postgres
def test_people_at_once_are_never_given_the_same_place_by_postgresql(tmp_path, postgres_database):
    raced = race(WORKBENCH_HOME=str(tmp_path), DATABASE_URL=postgres_database)
    assert raced == {"served": 24, "different": 24, "labels": 24, "errors": []}
