"""The API of this app, under a project."""

from __future__ import annotations

from django.urls import URLPattern, path

from labeling import api

app_name = "labeling-api"

urlpatterns: list[URLPattern] = [
    path("rounds/", api.RoundList.as_view(), name="rounds"),
    path("rounds/<int:pk>/progress/", api.RoundProgress.as_view(), name="progress"),
    path("rounds/<int:pk>/next/", api.NextSlot.as_view(), name="next"),
    path("slots/<int:pk>/", api.SlotDetail.as_view(), name="slot"),
    path("slots/<int:pk>/label/", api.SubmitLabel.as_view(), name="label"),
    path("slots/<int:pk>/draft/", api.SaveDraft.as_view(), name="draft"),
    path("slots/<int:pk>/skip/", api.SkipSlot.as_view(), name="skip"),
]
