"""Rounds: those one labels in, those one leads, and how far they are. No judge figures here."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from cases.models import Project, User
from cases.permissions import signed_in, visible_project
from cases.services import resolve_sample
from labeling import services
from labeling.forms import RoundForm
from labeling.models import Annotator, Label, Round, RoundState
from labeling.views.undo import what_was_done

RECENT = 20
_STATES = {"pause": services.pause_round, "close": services.close_round, "reopen": services.reopen_round}


@login_required
def rounds(request: HttpRequest, slug: str) -> HttpResponse:
    """The rounds one may see, and for the lead the form that opens one."""
    project, user = visible_project(request, slug), signed_in(request)
    is_lead = Project.objects.led_by(user).filter(pk=project.pk).exists()
    form = RoundForm(request.POST or None, project=project) if is_lead else None
    if request.method == "POST" and form is not None and form.is_valid():
        try:
            return redirect(_open(project, form, user))
        except ValueError as error:
            form.add_error(None, str(error))
    context = {"rounds": services.listed_rounds(project, user), "form": form, "is_new": bool(form and form.is_bound)}
    return render(request, "labeling/rounds.html", context)


def _open(project: Project, form: RoundForm, user: User) -> Round:
    chosen = form.cleaned_data
    return services.open_round(
        project=project,
        sample=resolve_sample(project, chosen["sample"]),
        question_set=services.find_question_set(project, chosen["questions"]),
        annotators=[services.annotator_for(project, person) for person in chosen["annotators"]],
        overlap=chosen["overlap"],
        rule=chosen["rule"],
        name=chosen["name"].strip(),
        user=user,
    )


@login_required
def round_page(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    project, user = visible_project(request, slug), signed_in(request)
    here = Round.objects.filter(project=project).visible_to(user)
    found = get_object_or_404(here.select_related("project", "sample__version", "question_set"), pk=pk)
    annotator = _annotator(found, user)
    is_led = Round.objects.led_by(user).filter(pk=found.pk).exists()
    may_rule = Round.objects.adjudicable_by(user).filter(pk=found.pk).exists()
    open_cases = services.adjudication(found, user) if may_rule else None
    context = {
        "round": found,
        "annotator": annotator,
        "own": services.own_progress(found, annotator) if annotator else None,
        "own_skipped": services.own_skipped(found, annotator) if annotator else [],
        "last": what_was_done(found, annotator) if annotator else "",
        "recent": recent_labels(found, user) if annotator else [],
        "is_led": is_led,
        "progress": services.round_progress(found, user) if is_led else None,
        "skipped": services.skipped_cases(found, user) if is_led else [],
        "may_rule": may_rule,
        "found": open_cases,
        "sees_all": open_cases is not None and not open_cases.n_hidden,
        "questions": found.question_set.questions.all(),
        "seats": found.seats.select_related("annotator").order_by("annotator__name") if is_led else [],
    }
    return render(request, "labeling/round.html", context)


def _annotator(round_: Round, user: User) -> Annotator | None:
    seat = round_.seats.select_related("annotator").filter(annotator__user=user).first()
    return seat.annotator if seat else None


def recent_labels(round_: Round, user: User) -> list[Label]:
    """One's own newest labels of the round, each with its verdicts."""
    own = Label.objects.current().filter(slot__round=round_, annotator__user=user)
    return list(
        own.select_related("case", "slot__round__project").prefetch_related("verdicts").order_by("-pk")[:RECENT]
    )


@login_required
@require_POST
def round_state(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Pause, close or reopen, by the lead."""
    project, user = visible_project(request, slug), signed_in(request)
    found = get_object_or_404(Round.objects.filter(project=project).led_by(user), pk=pk)
    if change := _STATES.get(request.POST.get("act", "")):
        change(found, user)
        said = {
            RoundState.OPEN: _("The round is open."),
            RoundState.PAUSED: _("The round is paused: nothing new is given out."),
            RoundState.CLOSED: _("The round is closed: it takes no more labels."),
        }
        messages.info(request, said[RoundState(found.state)])
    return redirect(found)
