"""Storing an import: versions, what counts as changed, all or nothing."""

from __future__ import annotations

import pytest
from django.utils import timezone

from cases.importers import CaseFileError, ImportOptions
from cases.models import AuditEntry, Case, Dataset, DatasetRow
from cases.services import ImportRefusedError, ProjectError, SampleError, find_dataset, import_file, resolve_sample
from labeling.models import Label, Verdict
from labeling.services import LabelingError
from labeling.services.imports import annotator_name
from tests.cast import imported, project_of_lena, row, write_jsonl

pytestmark = pytest.mark.django_db


@pytest.fixture
def project():
    return project_of_lena()[0]


def store(project, tmp_path, rows, **options):
    path = write_jsonl(tmp_path / "rows.jsonl", rows)
    return import_file(project=project, dataset_name="tea", path=path, options=ImportOptions(), **options)


def test_a_first_import_makes_version_1_with_every_case(project, tmp_path):
    summary = store(project, tmp_path, [row("a"), row("b"), row("c")])
    assert (summary.version, summary.is_stored) == (1, True)
    assert dict(summary.counts) == {"created": 3}
    assert list(DatasetRow.objects.values_list("case__external_id", "position")) == [("a", 0), ("b", 1), ("c", 2)]


def test_the_same_file_again_makes_no_version_and_no_case(project, tmp_path):
    store(project, tmp_path, [row("a"), row("b")])
    summary = store(project, tmp_path, [row("b"), row("a")])
    assert (summary.version, dict(summary.counts)) == (1, {"unchanged": 2})
    assert Case.objects.count() == 2


def test_new_content_makes_a_version_that_carries_the_rest_over(project, tmp_path):
    store(project, tmp_path, [row("a"), row("b"), row("c")])
    summary = store(project, tmp_path, [row("b", "A better answer."), row("d")])
    assert (summary.version, dict(summary.counts)) == (2, {"updated": 1, "created": 1})
    latest = project.datasets.get().latest
    answers = latest.rows.values_list("case__external_id", "case__actual_output")
    assert list(answers) == [("a", "An answer."), ("b", "A better answer."), ("c", "An answer."), ("d", "An answer.")]
    # Version 1 is as it was.
    old = latest.dataset.versions.get(number=1)
    assert old.rows.get(case__external_id="b").case.actual_output == "An answer."


def test_content_that_returns_is_the_old_case_again_with_its_labels(project, tmp_path):
    label = {"annotator": "alice", "metric": "overall", "verdict": "pass"}
    store(project, tmp_path, [row("a", human=[label])])
    store(project, tmp_path, [row("a", "Another answer.")])
    summary = store(project, tmp_path, [row("a")])
    assert summary.version == 3
    latest = project.datasets.get().latest
    assert latest.rows.get().case.labels.get().annotator.name == "alice"
    assert latest.content_hash == latest.dataset.versions.get(number=1).content_hash


def test_a_changed_group_is_a_new_row_of_the_same_case(project, tmp_path):
    store(project, tmp_path, [row("a", metadata={"group_id": "talk-1"})])
    summary = store(project, tmp_path, [row("a", metadata={"group_id": "talk-2"})])
    assert (summary.version, Case.objects.count()) == (2, 1)
    assert project.datasets.get().latest.rows.get().group_id == "talk-2"


def test_two_systems_answer_the_same_id(project, tmp_path):
    store(project, tmp_path, [row("a", system="old"), row("a", "A new answer.", system="new")])
    assert set(Case.objects.values_list("external_id", "system")) == {("a", "old"), ("a", "new")}


def test_labels_that_come_with_unchanged_cases_are_stored_without_a_new_version(project, tmp_path):
    store(project, tmp_path, [row("a")])
    label = {"annotator": "bob", "metric": "overall", "verdict": "fail", "note": "Too short."}
    summary = store(project, tmp_path, [row("a", human=[label])])
    assert summary.version == 1
    assert Verdict.objects.get().verdict == "fail"


def test_a_dry_run_counts_and_stores_nothing(project, tmp_path):
    label = {"annotator": "bob", "metric": "overall", "verdict": "fail"}
    summary = store(project, tmp_path, [row("a", human=[label]), row("b")], dry_run=True)
    assert dict(summary.counts)["created"] == 2
    assert not summary.is_stored
    assert not Dataset.objects.exists()
    assert not Label.objects.exists()
    assert not AuditEntry.objects.filter(action="import").exists()


def test_strict_stores_nothing_when_a_row_is_refused(project, tmp_path):
    bad = {"id": "x"}  # neither question nor answer
    summary = store(project, tmp_path, [row("a"), bad], strict=True)
    assert not summary.is_stored
    assert not Dataset.objects.exists()
    assert store(project, tmp_path, [row("a"), bad]).is_stored


def test_a_conflict_blocks_only_its_id(project, tmp_path):
    summary = store(project, tmp_path, [row("a"), row("b", "One."), row("b", "Two."), row("c")])
    assert [conflict.id for conflict in summary.scan.conflicts] == ["b"]
    assert set(Case.objects.values_list("external_id", flat=True)) == {"a", "c"}


def test_a_failure_in_the_middle_leaves_nothing(project, tmp_path, monkeypatch):
    from cases.services import imports

    def fail_after_the_first(*_):
        raise OSError("disk full")

    monkeypatch.setattr(imports, "BATCH", 1)
    path = write_jsonl(tmp_path / "rows.jsonl", [row("a"), row("b")])
    with pytest.raises(OSError):
        import_file(
            project=project,
            dataset_name="tea",
            path=path,
            options=ImportOptions(),
            progress=fail_after_the_first,
        )
    assert not Dataset.objects.exists()


def test_own_data_is_not_mixed_with_the_demo(project, tmp_path):
    project.is_demo = True
    project.save()
    with pytest.raises(ImportRefusedError, match="demo data"):
        store(project, tmp_path, [row("a")])


def test_a_file_without_a_readable_row_is_refused(project, tmp_path):
    path = tmp_path / "empty.jsonl"
    path.write_text("")
    with pytest.raises(CaseFileError):
        import_file(project=project, dataset_name="tea", path=path, options=ImportOptions())
    assert not Dataset.objects.exists()


def test_storing_takes_the_same_number_of_queries_for_any_number_of_rows(
    project, tmp_path, django_assert_max_num_queries
):
    rows = [row(str(i), human=[{"annotator": "a", "metric": "m", "verdict": "pass"}]) for i in range(120)]
    with django_assert_max_num_queries(60):
        imported(project, tmp_path, rows)


@pytest.mark.parametrize("dry_run", [False, True])
@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("id,input,actual_output\n", "no row to read"),
        ("{}\n", "neither an input nor an answer: line 1"),
        ('id,input,actual_output\na,"Q,A\nb,Q,A\n', "a quote that opens in this row is never closed"),
        ('{"trace_id": "t", "spans": []}\n{"trace_id": "u", "spans": []}\n', "lines 1 and 2"),
    ],
)
def test_a_file_of_which_no_row_can_be_read_leaves_no_dataset(project, tmp_path, text, says, dry_run):
    path = tmp_path / "file"
    path.write_text(text)
    with pytest.raises(CaseFileError, match=says):
        import_file(project=project, dataset_name="tea", path=path, options=ImportOptions(), dry_run=dry_run)
    assert not Dataset.objects.exists()


def test_a_file_all_of_whose_ids_are_in_conflict_stores_nothing_and_lists_them(project, tmp_path):
    summary = store(project, tmp_path, [row("a", "One."), row("a", "Two.")])
    assert (summary.is_stored, summary.version, summary.as_dict()["conflicts"][0]["id"]) == (False, None, "a")
    assert not Dataset.objects.exists()


def test_a_dataset_that_holds_nothing_is_neither_listed_nor_found(project):
    # Left by an import of before, which made the dataset first.
    Dataset.objects.create(project=project, name="hollow")
    assert not project.datasets.with_newest()
    with pytest.raises(ProjectError, match="none yet"):
        find_dataset(project, "hollow")
    with pytest.raises(SampleError, match="Nothing is imported there yet"):
        resolve_sample(project, "hollow")


def test_two_annotators_whose_long_names_begin_alike_stay_two(project, tmp_path):
    alike = "n" * 119
    said = [{"annotator": alike + last, "verdict": verdict} for last, verdict in (("1", "pass"), ("2", "fail"))]
    store(project, tmp_path, [row("a", human=said)])
    assert set(Verdict.objects.values_list("label__annotator__name", "verdict")) == {
        (alike + "1", "pass"),
        (alike + "2", "fail"),
    }
    # One letter more than fits: refused by line, field and limit, and not given to anybody else.
    said = [{"annotator": alike + last, "verdict": "pass"} for last in ("10", "20")]
    summary = store(project, tmp_path, [row("b", human=said)])
    assert [(each.line, each.field, each.reason) for each in summary.scan.refused] == [
        (1, "human[0].annotator", "has 121 letters; 120 fit"),
        (1, "human[1].annotator", "has 121 letters; 120 fit"),
    ]
    assert Verdict.objects.count() == 2
    with pytest.raises(LabelingError, match="121 letters; 120 fit"):
        annotator_name(alike + "10")


def test_a_label_whose_time_no_database_can_keep_is_stored_without_it(project, tmp_path):
    label = {"annotator": "alice", "verdict": "pass", "created_at": "0001-01-01T00:00:00+14:00"}
    before = timezone.now()
    summary = store(project, tmp_path, [row("a", human=[label])])
    assert [each.field for each in summary.scan.refused] == ["human[0].created_at"]
    assert Label.objects.get().created_at >= before
