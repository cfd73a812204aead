"""The API of this app, under a project."""

from __future__ import annotations

from django.urls import URLPattern, path

from calibration import api

app_name = "calibration-api"

urlpatterns: list[URLPattern] = [
    path("agreement/", api.Agreement.as_view(), name="agreement"),
    path("calibrations/", api.Calibrations.as_view(), name="calibrations"),
    path("calibrations/draft/", api.Draft.as_view(), name="draft"),
    path("calibrations/<int:number>/", api.Document.as_view(), name="calibration"),
    path("calibrations/<int:number>/config/", api.Config.as_view(), name="config"),
]
