"""The pages of this app, under a project."""

from __future__ import annotations

from django.urls import URLPattern, path

from cases import import_views, views

app_name = "cases"

urlpatterns: list[URLPattern] = [
    path("cases/", views.datasets, name="datasets"),
    path("cases/import/", import_views.new, name="import-new"),
    path("cases/import/<int:pk>/", import_views.show, name="import"),
    path("cases/import/<int:pk>/refused.csv", import_views.refused, name="import-refused"),
    path("cases/case/<int:pk>/", views.case, name="case"),
    path("datasets/<str:name>/", views.dataset, name="dataset"),
    path("datasets/<str:name>/draw/", views.draw, name="draw"),
    path("samples/<str:name>/", views.sample, name="sample"),
]
