"""The API of this app, under a project."""

from __future__ import annotations

from django.urls import URLPattern, path

from cases import api

app_name = "cases-api"

urlpatterns: list[URLPattern] = [
    path("datasets/", api.DatasetList.as_view(), name="datasets"),
    path("datasets/<str:name>/cases/", api.CaseList.as_view(), name="cases"),
    path("samples/", api.SampleList.as_view(), name="samples"),
]
