"""Every address of the product, app by app."""

from django.templatetags.static import static
from django.urls import include, path
from django.views.generic import RedirectView
from drf_spectacular.views import SpectacularAPIView

from calibration.views.home import home as project_home
from workbench import demo_views, views

urlpatterns = [
    path("", views.home, name="home"),
    path("sign-in/", views.SignIn.as_view(), name="login"),
    path("sign-out/", views.SignOut.as_view(), name="logout"),
    path("projects/new/", views.new_project, name="project-new"),
    path("language/", views.choose_language, name="language"),
    path("favicon.ico", RedirectView.as_view(url=static("workbench/icon.svg"))),
    path("healthz", views.healthz, name="healthz"),
    path("api/schema/", SpectacularAPIView.as_view(), name="schema"),
    path("api/", include("workbench.api_urls")),
    path("p/<slug:slug>/", project_home, name="project"),
    path("p/<slug:slug>/remove-demo/", demo_views.remove, name="demo-remove"),
    path("p/<slug:slug>/", include("cases.urls")),
    path("p/<slug:slug>/", include("labeling.urls")),
    path("p/<slug:slug>/", include("evaluation.urls")),
    path("p/<slug:slug>/", include("calibration.urls")),
]
