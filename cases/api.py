"""Datasets, cases and samples by GET, for leads."""

from __future__ import annotations

from typing import Any

from django.db.models import Count, QuerySet
from django.shortcuts import get_object_or_404
from rest_framework.generics import ListAPIView

from cases.access import hidden_samples
from cases.models import Dataset, DatasetRow, Project, Sample
from cases.permissions import led_project, signed_in
from cases.serializers import CaseSerializer, DatasetSerializer, SampleSerializer


class DatasetList(ListAPIView[Dataset]):
    """The project's datasets, with the newest version's number and size."""

    queryset = Dataset.objects.none()
    serializer_class = DatasetSerializer

    def get_queryset(self) -> QuerySet[Dataset]:
        return led_project(self.request, self.kwargs["slug"]).datasets.with_newest()


class CaseList(ListAPIView[DatasetRow]):
    """The cases of a dataset's newest version, in the order of their import."""

    queryset = DatasetRow.objects.none()
    serializer_class = CaseSerializer

    def get_queryset(self) -> QuerySet[DatasetRow]:
        project = led_project(self.request, self.kwargs["slug"])
        dataset = get_object_or_404(Dataset, project=project, name=self.kwargs["name"])
        return DatasetRow.objects.filter(version=dataset.latest).select_related("case").order_by("position")


class SampleList(ListAPIView[Sample]):
    """The samples. ``gaps`` is null for who labels cases of the sample: it tells of scores where they drew it."""

    queryset = Sample.objects.none()
    serializer_class = SampleSerializer

    def get_queryset(self) -> QuerySet[Sample]:
        samples = led_project(self.request, self.kwargs["slug"]).samples.select_related("version__dataset")
        return samples.annotate(cases=Count("items")).order_by("name")

    def get_serializer_context(self) -> dict[str, Any]:
        project = Project.objects.filter(slug=self.kwargs.get("slug")).first()
        hidden = hidden_samples(signed_in(self.request), project.samples.all()) if project else set()
        return {**super().get_serializer_context(), "hidden": hidden}
