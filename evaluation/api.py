"""Evaluators, runs and scores for programs. For leads, and blind where the pages are."""

from __future__ import annotations

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import generics, serializers

from cases.access import blind_cases, hidden_samples, log_exposure
from cases.given import small_int
from cases.models import Case
from cases.permissions import led_project, require_scores, signed_in
from evaluation.models import EvaluatorVersion, Run, Score, ScoreQuerySet


class EvaluatorSerializer(serializers.ModelSerializer[EvaluatorVersion]):
    class Meta:
        model = EvaluatorVersion
        fields = ["id", "metric", "judge", "fingerprint", "description", "created_at"]


class RunSerializer(serializers.ModelSerializer[Run]):
    sample = serializers.CharField(source="sample.name")
    metric = serializers.CharField(source="evaluator.metric")
    judge = serializers.CharField(source="evaluator.judge")
    jobs = serializers.IntegerField(source="jobs_all")
    done = serializers.IntegerField(source="jobs_done")

    class Meta:
        model = Run
        fields = [
            "id",
            "sample",
            "evaluator",
            "metric",
            "judge",
            "state",
            "reason",
            "epoch",
            "repeats",
            "jobs",
            "done",
            "created_at",
            "finished_at",
        ]


class ScoreSerializer(serializers.ModelSerializer[Score]):
    """``score`` is null unless ``state`` is "scored"; then ``reason`` says why."""

    id = serializers.CharField(source="case.external_id")
    system = serializers.CharField(source="case.system")
    metric = serializers.CharField(source="evaluator.metric")
    judge = serializers.CharField(source="evaluator.judge")
    score = serializers.FloatField(source="value", allow_null=True)

    class Meta:
        model = Score
        fields = [
            "id",
            "system",
            "metric",
            "judge",
            "evaluator",
            "repeat",
            "epoch",
            "state",
            "score",
            "reason",
            "flags",
            "verdicts",
            "unit_hashes",
        ]


class Evaluators(generics.ListAPIView[EvaluatorVersion]):
    """Those known only by cases that the person labels are left out until the round closes."""

    serializer_class = EvaluatorSerializer
    queryset = EvaluatorVersion.objects.none()

    def get_queryset(self) -> Any:
        project = led_project(self.request, self.kwargs["slug"])
        hidden = blind_cases(signed_in(self.request), Case.objects.filter(dataset__project=project))
        return EvaluatorVersion.objects.filter(project=project).beside(hidden).order_by("pk")


class Runs(generics.ListAPIView[Run]):
    """The newest first. Runs over a sample that the person labels are left out until the round closes."""

    serializer_class = RunSerializer
    queryset = Run.objects.none()

    def get_queryset(self) -> Any:
        project = led_project(self.request, self.kwargs["slug"])
        hidden = hidden_samples(signed_in(self.request), project.samples.all())
        return Run.objects.of_project(project).exclude(sample__in=hidden)


@extend_schema(parameters=[OpenApiParameter("evaluator", int, description="Only this evaluator version's.")])
class SampleScores(generics.ListAPIView[Score]):
    """What counts for each case of the sample. Reading it is logged: the reader is no longer blind about it."""

    serializer_class = ScoreSerializer
    queryset = Score.objects.none()

    def paginate_queryset(self, queryset: Any) -> Any:
        page = super().paginate_queryset(queryset)
        log_exposure(signed_in(self.request), Case.objects.filter(pk__in=[score.case_id for score in page or []]))
        return page

    def get_queryset(self) -> ScoreQuerySet:
        project = led_project(self.request, self.kwargs["slug"])
        sample = get_object_or_404(project.samples, name=self.kwargs["name"])
        require_scores(self.request, project, Case.objects.of_sample(sample))
        scores = Score.objects.that_count().of_sample(sample)
        asked = self.request.query_params.get("evaluator", "")
        if asked:
            scores = scores.filter(evaluator=small_int(asked))
        ordered = scores.order_by("case__rows__sample_items__position", "evaluator", "repeat")
        return ordered.select_related("case", "evaluator")
