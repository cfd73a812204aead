"""Samples: which part of a dataset version is labeled and judged, and with what probability each case came in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db import transaction
from django.utils.translation import gettext

from cases.given import SEEDS
from cases.models import Dataset, DatasetRow, DatasetVersion, Design, Project, Purpose, Sample, SampleItem, User
from cases.records import content_hash
from cases.services.names import free_name, plain_name, valid_name
from cases.services.projects import audit


class SampleError(ValueError):
    """A sample that is not there or cannot be drawn."""


@transaction.atomic
def draw_sample(
    *,
    version: DatasetVersion,
    name: str,
    design: str,
    row_ids: Sequence[int],
    probabilities: Sequence[float],
    strata: Sequence[str],
    seed: int | None,
    purpose: str = Purpose.CALIBRATE,
    parameters: dict[str, Any] | None = None,
    gaps: Sequence[str] = (),
) -> Sample:
    """Store a drawn sample.

    Who draws passes plain arrays, one entry a row, so this app never learns what the bands were bands of.
    Raises SampleError for a name that is taken or cannot be one.
    """
    project, name = version.dataset.project, valid_name(name, SampleError)
    if Sample.objects.filter(project=project, name=name).exists():
        raise SampleError(f"there is already a sample {name!r} in {project.slug}. Choose another --name.")
    return _store(
        version, name, design, row_ids, probabilities, strata, seed, purpose=purpose, parameters=parameters, gaps=gaps
    )


def _store(
    version: DatasetVersion,
    name: str,
    design: str,
    row_ids: Sequence[int],
    probabilities: Sequence[float],
    strata: Sequence[str],
    seed: int | None = None,
    *,
    purpose: str = Purpose.CALIBRATE,
    parameters: dict[str, Any] | None = None,
    gaps: Sequence[str] = (),
) -> Sample:
    rows = DatasetRow.objects.filter(version=version).select_related("case").in_bulk(list(row_ids))
    facts = [
        [rows[pk].case.external_id, rows[pk].case.system, rows[pk].case.judged_hash, p, stratum]
        for pk, p, stratum in zip(row_ids, probabilities, strata, strict=True)
    ]
    sample = Sample.objects.create(
        project=version.dataset.project,
        version=version,
        name=name,
        design=design,
        purpose=purpose,
        seed=seed,
        parameters=parameters or {},
        gaps=list(gaps),
        content_hash=content_hash([design, sorted(facts)]),
    )
    SampleItem.objects.bulk_create(
        [
            SampleItem(sample=sample, row_id=pk, position=i, inclusion_probability=p, stratum=stratum)
            for i, (pk, p, stratum) in enumerate(zip(row_ids, probabilities, strata, strict=True))
        ],
        batch_size=1000,
    )
    return sample


@transaction.atomic
def implicit_sample(version: DatasetVersion) -> Sample:
    """The whole version as a sample: what a dataset's name means where a sample is asked for."""
    existing = Sample.objects.filter(version=version, design=Design.ALL, parameters={"implicit": True}).first()
    if existing is not None:
        return existing
    row_ids = list(version.rows.order_by("position").values_list("pk", flat=True))
    ones, blanks = [1.0] * len(row_ids), [""] * len(row_ids)
    return _store(version, _free_name(version), Design.ALL, row_ids, ones, blanks, parameters={"implicit": True})


def _free_name(version: DatasetVersion) -> str:
    """ "mtrag v2 (all)", with a number behind it when somebody's own sample has that name."""
    name = f"{version.dataset.name} v{version.number} (all)"
    taken = set(version.dataset.project.samples.filter(name__startswith=name).values_list("name", flat=True))
    return free_name(name, taken)


def resolve_sample(project: Project, name: str) -> Sample:
    """The sample of that name, else all of the newest version of the dataset of that name."""
    name = plain_name(name)
    if sample := Sample.objects.filter(project=project, name=name).first():
        return sample
    dataset = Dataset.objects.filter(project=project, name=name).first()
    version = dataset.latest if dataset else None
    if version is None:
        raise SampleError(f"there is no sample and no dataset {name!r} in project {project.slug}. {_known(project)}")
    return implicit_sample(version)


def _known(project: Project) -> str:
    datasets = list(project.datasets.stored().order_by("name").values_list("name", flat=True))
    samples = list(project.samples.order_by("name").values_list("name", flat=True))
    if not datasets:
        return "Nothing is imported there yet: workbench import FILE --dataset NAME."
    return f"Datasets: {', '.join(datasets)}." + (f" Samples: {', '.join(samples)}." if samples else "")


@transaction.atomic
def draw_new_sample(
    *,
    version: DatasetVersion,
    name: str,
    design: str,
    size: int,
    seed: int,
    purpose: str = Purpose.CALIBRATE,
    scores: Sequence[float] | None = None,
    user: User | None = None,
) -> Sample:
    """Draw ``size`` cases of the version: simple, stratified by language and system, or by bands of ``scores``.

    ``scores`` is one number a row, in the order of the rows' positions, NaN where there is none.
    """
    from cases.sampling import SamplingError, draw

    if not SEEDS[0] <= seed <= SEEDS[1]:
        raise SampleError(f"a seed is a whole number from {SEEDS[0]} to {SEEDS[1]}")
    rows = list(version.rows.order_by("position").values_list("pk", "language", "case__system"))
    if size > len(rows):
        small = gettext("%(size)s cases cannot be drawn from %(there)s. Choose a smaller size.")
        raise SampleError(small % {"size": size, "there": len(rows)})
    strata = [f"{language or '-'} / {system or '-'}" for _, language, system in rows]
    try:
        drawn = draw(len(rows), design=design, size=size, seed=seed, strata=strata, scores=scores)
    except SamplingError as error:
        raise SampleError(str(error)) from error
    sample = draw_sample(
        version=version,
        name=name,
        design=design,
        row_ids=[rows[i][0] for i in drawn.indices],
        probabilities=[float(p) for p in drawn.probabilities],
        strata=drawn.strata,
        seed=seed,
        purpose=purpose,
        parameters={"size": size},
        gaps=drawn.gaps,
    )
    audit(sample.project, user, "draw sample", name, size=size)
    return sample
