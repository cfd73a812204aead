"""The verbs of this app: each is one function, one transaction."""

from labeling.services.blindness import blindness_of, cases_to_stay_blind_about
from labeling.services.errors import LabelConflict, LabelingError, LabelRefused, RoundClosed, SlotLost
from labeling.services.given import GivenUnitVerdict, GivenVerdict, asked_questions, form_content
from labeling.services.imports import LabelChange, store_imported_labels, store_labels
from labeling.services.label_files import LabelImport, export_rows, import_label_file
from labeling.services.labels import submit_label
from labeling.services.listing import ListedRound, listed_rounds
from labeling.services.places import latest_revision, lease_token, own_labels
from labeling.services.progress import Share, own_progress, round_progress
from labeling.services.questions import QuestionDraft, default_question_set, find_question_set, save_question_set
from labeling.services.reading import LabelRow, human_verdicts, label_hash, label_metrics, label_rows, round_label_rows
from labeling.services.rounds import annotator_for, close_round, open_round, pause_round, reopen_round
from labeling.services.rulings import Adjudication, OpenCase, adjudication, rule_on
from labeling.services.skips import (
    SkippedCase,
    offer_again,
    own_skipped,
    skip_of,
    skip_slot,
    skipped_cases,
    take_back_skip,
    take_back_skips,
)
from labeling.services.slots import (
    draft_of,
    flag_slot,
    next_slot,
    open_expected,
    release,
    renew,
    save_draft,
)
from labeling.services.undo import last_act, undo_label

__all__ = [
    "Adjudication",
    "GivenUnitVerdict",
    "GivenVerdict",
    "LabelChange",
    "LabelConflict",
    "LabelImport",
    "LabelRefused",
    "LabelRow",
    "LabelingError",
    "ListedRound",
    "OpenCase",
    "QuestionDraft",
    "RoundClosed",
    "Share",
    "SkippedCase",
    "SlotLost",
    "adjudication",
    "annotator_for",
    "asked_questions",
    "blindness_of",
    "cases_to_stay_blind_about",
    "close_round",
    "default_question_set",
    "draft_of",
    "export_rows",
    "find_question_set",
    "flag_slot",
    "form_content",
    "human_verdicts",
    "import_label_file",
    "label_hash",
    "label_metrics",
    "label_rows",
    "last_act",
    "latest_revision",
    "lease_token",
    "listed_rounds",
    "next_slot",
    "offer_again",
    "open_expected",
    "open_round",
    "own_labels",
    "own_progress",
    "own_skipped",
    "pause_round",
    "release",
    "renew",
    "reopen_round",
    "round_label_rows",
    "round_progress",
    "rule_on",
    "save_draft",
    "save_question_set",
    "skip_of",
    "skip_slot",
    "skipped_cases",
    "store_imported_labels",
    "store_labels",
    "submit_label",
    "take_back_skip",
    "take_back_skips",
    "undo_label",
]
