"""Labeling over HTTP: what the pages do, by the same services and the same querysets."""

from __future__ import annotations

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from cases.permissions import signed_in, visible_project
from cases.services import ensure_units
from labeling import serializers, services
from labeling.forms import form_fields
from labeling.models import Annotator, Round, Slot
from labeling.permissions import own_seat, own_slot


class RoundList(APIView):
    @extend_schema(responses=serializers.RoundSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        project = visible_project(request, slug)
        return Response(
            serializers.RoundSerializer(services.listed_rounds(project, signed_in(request)), many=True).data
        )


class RoundProgress(APIView):
    @extend_schema(responses=serializers.ProgressSerializer)
    def get(self, request: Request, slug: str, pk: int) -> Response:
        project, user = visible_project(request, slug), signed_in(request)
        round_ = get_object_or_404(Round.objects.filter(project=project).visible_to(user), pk=pk)
        seat = round_.seats.select_related("annotator").filter(annotator__user=user).first()
        own = services.own_progress(round_, seat.annotator) if seat else None
        figures: dict[str, Any] = dict.fromkeys(("cases", "complete", "done", "wanted"))
        figures |= {"own": own, "people": [], "strata": []}
        if Round.objects.led_by(user).filter(pk=pk).exists():
            whole = services.round_progress(round_, user)
            figures |= {name: getattr(whole, name) for name in figures if name != "own"}
        return Response(serializers.ProgressSerializer(figures).data)


class NextSlot(APIView):
    @extend_schema(
        request=None,
        responses={200: serializers.SlotSerializer, 204: OpenApiResponse(description="Nothing is left for you.")},
    )
    def post(self, request: Request, slug: str, pk: int) -> Response:
        round_, annotator = own_seat(request, slug, pk)
        slot = services.next_slot(round_, annotator)
        return Response(status=204) if slot is None else Response(_slot(slot, annotator))


class SlotDetail(APIView):
    @extend_schema(responses=serializers.SlotSerializer)
    def get(self, request: Request, slug: str, pk: int) -> Response:
        return Response(_slot(*own_slot(request, slug, pk)))


def _slot(slot: Slot, annotator: Annotator) -> Any:
    case, draft = slot.case, services.draft_of(slot, annotator)
    is_open = bool(draft and draft.is_opened)
    label = services.own_labels(slot, annotator).current().first()
    units = {kind: each.texts for kind, each in ensure_units(slot.item.row).items()}
    shown = {
        "id": slot.pk,
        "round": slot.round_id,
        "case_id": case.external_id,
        "input": case.input,
        "actual_output": case.actual_output,
        "expected_output": case.expected_output if is_open else None,
        "units": {kind: texts for kind, texts in units.items() if kind != "expected" or is_open},
        "questions": services.asked_questions(slot),
        "revision": services.latest_revision(slot, annotator),
        "lease_token": services.lease_token(slot, annotator),
        "lease_expires_at": slot.lease_expires_at if slot.is_held_by(annotator) else None,
        "answer": services.form_content(label) if label else {},
        "draft": draft.content if draft else {},
    }
    return serializers.SlotSerializer(shown).data


class SubmitLabel(APIView):
    @extend_schema(
        request=serializers.SubmissionSerializer,
        responses={
            200: serializers.LabelSerializer,
            409: serializers.ConflictSerializer,
            422: OpenApiResponse(description="The label does not fit the questions, or the round is closed."),
        },
    )
    def post(self, request: Request, slug: str, pk: int) -> Response:
        slot, annotator = own_slot(request, slug, pk)
        sent = serializers.SubmissionSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        try:
            label = services.submit_label(slot=slot, annotator=annotator, **_given(sent.validated_data))
        except services.LabelConflict as conflict:
            said = {"detail": str(conflict), "stored": conflict.stored}
            return Response(serializers.ConflictSerializer(said).data, status=409)
        except services.LabelingError as error:
            return Response({"detail": str(error)}, status=422)
        return Response(serializers.LabelSerializer(label).data)


def _given(data: dict[str, Any]) -> dict[str, Any]:
    units = [{**unit, "evidence": tuple(unit["evidence"])} for unit in data["unit_verdicts"]]
    return {
        **data,
        "verdicts": [services.GivenVerdict(**each) for each in data["verdicts"]],
        "unit_verdicts": [services.GivenUnitVerdict(**each) for each in units],
    }


class SaveDraft(APIView):
    @extend_schema(request=serializers.DraftSerializer, responses=serializers.SavedSerializer)
    def put(self, request: Request, slug: str, pk: int) -> Response:
        slot, annotator = own_slot(request, slug, pk)
        sent = serializers.DraftSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        try:
            draft = services.save_draft(slot, annotator, form_fields(sent.validated_data["content"]))
        except services.LabelingError as error:
            return Response({"detail": str(error)}, status=422)
        return Response(serializers.SavedSerializer(draft).data)


class SkipSlot(APIView):
    @extend_schema(request=serializers.SkipSerializer, responses={204: None})
    def post(self, request: Request, slug: str, pk: int) -> Response:
        slot, annotator = own_slot(request, slug, pk)
        sent = serializers.SkipSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        try:
            services.skip_slot(slot, annotator, sent.validated_data["reason"])
        except services.LabelingError as error:
            return Response({"detail": str(error)}, status=422)
        return Response(status=204)
