"""How rows of this app look in the API."""

from __future__ import annotations

from rest_framework import serializers

from cases.models import Dataset, DatasetRow, Sample


class DatasetSerializer(serializers.ModelSerializer[Dataset]):
    version = serializers.IntegerField(read_only=True, allow_null=True)
    cases = serializers.IntegerField(source="size", read_only=True, allow_null=True)

    class Meta:
        model = Dataset
        fields = ("name", "version", "cases", "created_at")


class CaseSerializer(serializers.ModelSerializer[DatasetRow]):
    """A case with its place in a dataset version. Nothing of people or judges."""

    id = serializers.CharField(source="case.external_id")
    system = serializers.CharField(source="case.system")
    input = serializers.CharField(source="case.input", allow_null=True)
    actual_output = serializers.CharField(source="case.actual_output", allow_null=True)
    expected_output = serializers.CharField(source="case.expected_output", allow_null=True)
    retrieval_context = serializers.ListField(
        child=serializers.CharField(), source="case.retrieval_context", allow_null=True
    )

    class Meta:
        model = DatasetRow
        fields = (
            "id",
            "system",
            "language",
            "group_id",
            "input",
            "actual_output",
            "expected_output",
            "retrieval_context",
            "tags",
        )


class SampleSerializer(serializers.ModelSerializer[Sample]):
    dataset = serializers.CharField(source="version.dataset.name")
    version = serializers.IntegerField(source="version.number")
    cases = serializers.IntegerField(read_only=True)
    gaps = serializers.SerializerMethodField()

    class Meta:
        model = Sample
        fields = ("name", "dataset", "version", "design", "purpose", "seed", "gaps", "content_hash", "cases")

    def get_gaps(self, sample: Sample) -> list[str] | None:
        return None if sample.pk in self.context["hidden"] else list(sample.gaps)
