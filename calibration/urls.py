"""The pages of this app, under a project."""

from __future__ import annotations

from django.urls import URLPattern, path

from calibration.views import agreement, calibrations, cases

app_name = "calibration"

urlpatterns: list[URLPattern] = [
    path("agreement/", agreement.agreement, name="agreement"),
    path("calibrations/", calibrations.calibrations, name="calibrations"),
    path("calibrations/draft/", calibrations.draft, name="draft"),
    path("calibrations/freeze/", calibrations.freeze, name="freeze"),
    path("calibrations/mistakes/", cases.mistakes, name="mistakes"),
    path("calibrations/cases/<int:case_pk>/<int:evaluator_pk>/", cases.sides, name="sides"),
    path("calibrations/<int:number>/", calibrations.calibration, name="calibration"),
    path("calibrations/<int:number>/<slug:kind>/", calibrations.download, name="download"),
]
