"""Agreement and calibrations for programs, by GET: the documents of the command line, behind the rules of the pages."""

from __future__ import annotations

from typing import Any

from django.http import Http404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import generics, serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from calibration import services
from calibration.forms import AskForm
from calibration.models import Calibration
from calibration.permissions import judged_project, visible_calibration, visible_calibrations
from calibration.services.agreement import agreement_document, sample_asked
from cases.models import Case
from cases.permissions import require_scores, signed_in
from labeling.rules import RuleError

TEXT, NUMBER = OpenApiTypes.STR, OpenApiTypes.DOUBLE


def _parameters(**types: Any) -> list[OpenApiParameter]:
    return [OpenApiParameter(name, kind) for name, kind in types.items()]


class CalibrationSerializer(serializers.ModelSerializer[Calibration]):
    """A frozen calibration. ``stale`` says in sentences what has changed since; empty while it stands."""

    name = serializers.CharField()
    sample = serializers.CharField(source="sample.name", default=None)
    judge = serializers.CharField(source="evaluator.judge", default=None)
    recommended_threshold = serializers.SerializerMethodField()
    chosen_threshold = serializers.SerializerMethodField()
    stale = serializers.SerializerMethodField()
    sha256 = serializers.CharField()

    class Meta:
        model = Calibration
        fields = [
            "name",
            "number",
            "metric",
            "human_metric",
            "sample",
            "judge",
            "state",
            "recommended_threshold",
            "chosen_threshold",
            "stale",
            "sha256",
            "created_at",
        ]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._known: services.Known = {}  # one serializer writes all rows of a list

    def get_recommended_threshold(self, calibration: Calibration) -> float | None:
        return calibration.document["recommended_threshold"]  # type: ignore[no-any-return]

    def get_chosen_threshold(self, calibration: Calibration) -> float | None:
        """What a person chose instead; null where the recommended threshold was frozen."""
        return calibration.document.get("chosen", {}).get("threshold")  # type: ignore[no-any-return]

    def get_stale(self, calibration: Calibration) -> list[str]:
        return services.staleness(calibration, self._known)


class Calibrations(generics.ListAPIView[Calibration]):
    """The frozen calibrations, the newest first. Those over cases that the person still labels are left out."""

    serializer_class = CalibrationSerializer
    queryset = Calibration.objects.none()

    def get_queryset(self) -> Any:
        project = judged_project(self.request, self.kwargs["slug"])
        return visible_calibrations(self.request, project)


class Document(APIView):
    """The frozen document, as ``workbench calibrate --json`` printed it."""

    @extend_schema(responses=OpenApiTypes.OBJECT)
    def get(self, request: Request, slug: str, number: int) -> Response:
        return Response(visible_calibration(request, slug, number).document)


class Config(APIView):
    """The config that a build is gated by; 409 where no threshold is recommended."""

    @extend_schema(
        responses=OpenApiTypes.OBJECT,
        parameters=_parameters(min_pass_rate=NUMBER, min_scored_share=NUMBER, expires=TEXT),
    )
    def get(self, request: Request, slug: str, number: int) -> Response:
        from calibration.config import ConfigError, RefusedError, build_config

        asked = {name: request.GET[name] for name in ("min_pass_rate", "min_scored_share") if request.GET.get(name)}
        try:
            shares: Any = {name: float(value) for name, value in asked.items()}
            document = visible_calibration(request, slug, number).document
            return Response(build_config(document, expires=request.GET.get("expires") or None, **shares))
        except RefusedError as error:
            return Response({"detail": str(error)}, status=409)
        except (ConfigError, ValueError) as error:
            raise ValidationError({"detail": str(error)}) from error


class Draft(APIView):
    """A calibration of what people and judge have said up to now, computed and not kept."""

    @extend_schema(
        responses=OpenApiTypes.OBJECT,
        parameters=_parameters(
            sample=TEXT,
            metric=TEXT,
            judge=TEXT,
            human_metric=TEXT,
            rule=TEXT,
            cost_false_pass=NUMBER,
            cost_false_fail=NUMBER,
            certify=NUMBER,
            confidence=NUMBER,
            seed=OpenApiTypes.INT,
            labels_blind=OpenApiTypes.BOOL,
            threshold=NUMBER,
        ),
    )
    def get(self, request: Request, slug: str) -> Response:
        """With ``threshold`` also ``at_threshold``: counts, rates and cost there."""
        project = judged_project(request, slug)
        form = AskForm(request.GET, project=project, viewer=signed_in(request))
        if not form.is_valid():
            raise ValidationError({name: [str(each) for each in errors] for name, errors in form.errors.items()})
        require_scores(request, project, Case.objects.of_sample(form.found_sample))
        try:
            document = services.calibrated(form.found_sample, form.found_evaluator, form.ask()).document
        except (services.CalibrationError, RuleError) as error:
            raise ValidationError({"detail": str(error)}) from error
        threshold = form.cleaned_data["threshold"]
        return Response(document if threshold is None else {**document, "at_threshold": _at(form, threshold)})


def _at(form: AskForm, threshold: float) -> dict[str, Any]:
    from calibration.statistics.document import tidy

    found: dict[str, Any] = tidy(services.at(form.found_sample, form.found_evaluator, form.ask(), threshold))
    return found


class Agreement(APIView):
    """How far the annotators of a sample agree on a metric; what is undefined is null, with the reason beside it."""

    @extend_schema(
        responses=OpenApiTypes.OBJECT, parameters=_parameters(sample=TEXT, metric=TEXT, judge_annotator=TEXT)
    )
    def get(self, request: Request, slug: str) -> Response:
        project = judged_project(request, slug)
        sample, problem = sample_asked(project, request.GET.get("sample", ""))
        if sample is None:
            raise Http404(problem)
        require_scores(request, project, Case.objects.of_sample(sample))
        metric, judge = request.GET.get("metric") or None, request.GET.get("judge_annotator") or None
        try:
            return Response(agreement_document(sample, metric, judge))
        except ValueError as error:
            raise ValidationError({"detail": str(error)}) from error
