"""Every sentence that a calibration or agreement document says, as a template with ``{names}``. Plain Python.

Documents speak English. A page finds the template of a sentence again and says it in the reader's language, so a
sentence is only ever built by ``tell`` or ``counted``, from a template of this module.

What a name holds: further sentences, parted by "; ", where it is one of ``SENTENCES``; somebody's own words where it
is one of ``TEXTS``; else a number, with its percent sign where it has one: no percent sign stands in a template.
"""

from __future__ import annotations

import re

TEMPLATES: list[str] = []
SENTENCES = frozenset({"both", "method", "missing", "reason", "reasons"})
TEXTS = frozenset({"annotator", "asked", "because", "case", "file", "label", "scored", "stratum"})

#: The template for one and the template for any other number, which both call it ``{count}``.
Counted = tuple[str, str]


def gettext_noop(text: str) -> str:
    """Mark a template for the catalogue, which is collected by this function's name, and keep it to be found again."""
    TEMPLATES.append(text)
    return text


def tell(template: str, **values: object) -> str:
    """The template with its names filled in. What a value holds is never read as a template."""
    return re.sub(r"\{(\w+)\}", lambda found: str(values[found[1]]), template)


def counted(templates: Counted, count: float, **values: object) -> str:
    """``tell`` with the template that is grammatical for ``count``: a whole number, or a fraction of soft labels."""
    return tell(templates[count != 1], count=int(count) if float(count).is_integer() else f"{count:g}", **values)


# Why there is a recommendation, or none.
CHEAPEST = gettext_noop("The cheapest range of thresholds, with the fewest false passes, then the widest.")
NO_CASES = gettext_noop("No threshold is recommended: no case has both a human verdict and a score.")
ONE_CLASS = gettext_noop(
    "No threshold is recommended: people gave only one verdict, so only one kind of error can be seen."
)
ONE_VALUE = gettext_noop("No threshold is recommended: the score takes one value, so all pass or all fail.")
UNUSABLE_SCORES = gettext_noop("No threshold is recommended: {count} of {of} scores cannot be used: {reasons}.")
PASS_ALL = gettext_noop("No threshold of this judge beats passing all.")
PASS_NONE = gettext_noop("No threshold of this judge beats passing none.")

# What keeps a calibration from being trusted.
PROMPTED: Counted = (
    gettext_noop("{count} label was ruled on because of what the judge said."),
    gettext_noop("{count} labels were ruled on because of what the judge said."),
)
FEW_FAILS: Counted = (
    gettext_noop("Only {count} case that people fail: at least {least} are needed."),
    gettext_noop("Only {count} cases that people fail: at least {least} are needed."),
)
FEW_PASSES: Counted = (
    gettext_noop("Only {count} case that people pass: at least {least} are needed."),
    gettext_noop("Only {count} cases that people pass: at least {least} are needed."),
)
FEW_CONVERSATIONS: Counted = (
    gettext_noop("Only {count} conversation: at least {least} are needed."),
    gettext_noop("Only {count} conversations: at least {least} are needed."),
)
FEW_SCORED = gettext_noop("Only {share} of the cases are scored: at least {least} are needed.")
BLINDNESS_UNKNOWN = gettext_noop("Whether the labels are blind is unknown: they were imported.")
NOT_NESTED = gettext_noop("The cost of the choice on new cases is {reason}.")
TOO_FEW_TO_TELL = gettext_noop(
    "Too few independent cases to tell whether it beats passing all and passing none on new cases."
)
BEATS_NO_END = gettext_noop("On cases left out it does not clearly beat both passing all and passing none.")
CHOSEN_IS_NOT_AS_GOOD = gettext_noop(
    "The chosen threshold is not among those as good as the cheapest: what was measured on new cases does not speak "
    "for it."
)
NO_CERTIFICATE = gettext_noop("The certificate asked for does not hold: it takes {missing}.")

# Warnings.
COSTS_NOT_STATED = gettext_noop(
    "The costs are not stated: a false pass and a false fail are taken to cost the same (1:1), and the threshold "
    "follows from that. Say what they cost."
)
UNDECIDED_LEFT_OUT: Counted = (
    gettext_noop(
        "{count} case is undecided and left out: the headline is also shown with it as a fail, and with it as a pass."
    ),
    gettext_noop(
        "{count} cases are undecided and left out: the headline is also shown with all of them as fails and all as "
        "passes."
    ),
)
UNSCORED: Counted = (
    gettext_noop("{count} case has no usable score; it counts neither as pass nor fail: {reasons}."),
    gettext_noop("{count} cases have no usable score; they count neither as pass nor fail: {reasons}."),
)
REASON_COUNTED = gettext_noop("{reason} ({count})")
OTHER_REASONS = gettext_noop("other reasons")
METRICS_DIFFER = gettext_noop("People were asked: {asked}; the judge scores: {scored}.")
CHOSEN = gettext_noop(
    "A person chose the threshold {chosen}; the cheapest is {cheapest}. On these cases the choice costs {extra} more "
    "per case. The reason given: {because}"
)
FEW_GROUPS: Counted = (
    gettext_noop("{count} conversation is too few for an interval."),
    gettext_noop("{count} conversations are too few for an interval."),
)
WEIGHTED: Counted = (
    gettext_noop("Design weights: {count} case counts like {effective} of equal weight."),
    gettext_noop("Design weights: {count} cases count like {effective} of equal weight."),
)
SOFT_LABELS = gettext_noop("Soft labels count in part as a pass, in part as a fail.")
STRATUM_NOT_DRAWN = gettext_noop("No case of {stratum} was drawn: the figures do not speak for it.")
REPEATED_ROWS: Counted = (
    gettext_noop("{count} row repeats the id of another row; each case counts once."),
    gettext_noop("{count} rows repeat the id of another row; each case counts once."),
)
NO_CASE_IDS = gettext_noop("{file} has no column of case ids: cases are named by their line.")
TWO_LABELS = gettext_noop("{annotator} gave case {case} two different labels: neither counts.")

# Why a case is left out.
NOT_APPLICABLE = gettext_noop("the metric does not apply")
NOT_BLIND = gettext_noop("the label is not blind")
NO_VERDICT = gettext_noop("no human verdict")
BAD_VERDICT = gettext_noop("the human verdict is not between 0 and 1")
NO_SCORE = gettext_noop("no score")
NOT_A_NUMBER = gettext_noop("the score is not a number")
OUT_OF_RANGE = gettext_noop("the score is out of [0, 1]")
UNDECIDED = gettext_noop("people are undecided")
BAD_WEIGHT = gettext_noop("the weight is not a positive number")
CONTRADICTION = gettext_noop("rows of one case contradict each other")

# What a certificate still takes.
MORE_FAILS: Counted = (gettext_noop("{count} more failed answer"), gettext_noop("{count} more failed answers"))
BLIND_LABELS = gettext_noop("labels known to be blind")
INDEPENDENT: Counted = (
    gettext_noop("independent cases: one case per conversation ({count} cases, {groups} conversation)"),
    gettext_noop("independent cases: one case per conversation ({count} cases, {groups} conversations)"),
)
UNWEIGHTED = gettext_noop("an unweighted sample")
WHOLE_LABELS = gettext_noop("whole labels instead of soft ones")
A_RECOMMENDATION = gettext_noop("a recommended threshold")
HIGHER_THRESHOLD = gettext_noop("a threshold of {first} or more: the recommended {recommended} is below it")
HIGHER_THAN_CHOSEN = gettext_noop("a threshold of {first} or more: the chosen {chosen} is below it")
FEWER_ONES: Counted = (
    gettext_noop("a judge that scores at most {count} failed answer 1: now passing none is all that is certain"),
    gettext_noop("a judge that scores at most {count} failed answers 1: now passing none is all that is certain"),
)

# Why there is no nested figure.
FEW_CASES_TO_FOLD: Counted = (
    gettext_noop("not estimable by groups: {count} failed answer for 5 folds"),
    gettext_noop("not estimable by groups: {count} failed answers for 5 folds"),
)
FEW_GROUPS_TO_FOLD: Counted = (
    gettext_noop("not estimable by groups: {count} conversation that holds a fail for 5 folds"),
    gettext_noop("not estimable by groups: {count} conversations that hold a fail for 5 folds"),
)

# How an interval was found, or why there is none.
TOO_FEW: Counted = (
    gettext_noop("{count} conversation is too few for an interval"),
    gettext_noop("{count} conversations are too few for an interval"),
)
TOO_FEW_EFFECTIVE = gettext_noop("an effective n of {effective} is too few for an interval")
SOFT_AT_THE_EDGE = gettext_noop("soft labels: drawing again changes nothing, so there is no interval")
MANY_RATERS = gettext_noop("no interval: pairs of more than two raters are not independent")
MEAN_OVER_REPEATS = gettext_noop("mean over repeats on cases left out; se over independent units, no interval")
NO_BANDS = gettext_noop("no bands: they need independent, unweighted cases with whole labels")
BANDS = gettext_noop("Kolmogorov-Smirnov, simultaneous over all thresholds")
WILSON = gettext_noop("Wilson, {confidence}")
T_OVER_GROUPS = gettext_noop("t over {count} conversations, {confidence}")
RESAMPLED = gettext_noop("{method}, {confidence}, effective n {effective}")
WILSON_EFFECTIVE = gettext_noop("Wilson on the effective n")
BOOTSTRAPS = {
    ("case", False): gettext_noop("case bootstrap"),
    ("stratified", False): gettext_noop("stratified bootstrap"),
    ("cluster", False): gettext_noop("cluster bootstrap"),
    ("case", True): gettext_noop("case bootstrap of soft labels"),
    ("stratified", True): gettext_noop("stratified bootstrap of soft labels"),
    ("cluster", True): gettext_noop("cluster bootstrap of soft labels"),
}

# Why a figure is not defined.
NOT_DEFINED = gettext_noop("not defined: {reason}")
PEOPLE_FAILED_NONE = gettext_noop("people failed no case")
PEOPLE_PASSED_NONE = gettext_noop("people passed no case")
NO_SUCH_CASE = gettext_noop("there is no such case")
NOBODY_FAILED = gettext_noop("no case was failed")
ONE_LABEL = gettext_noop("only one label was used")
NO_PAIRS = gettext_noop("no case has two labels")
NO_FAIL_AMONG_PAIRS = gettext_noop("no case with two labels was failed")
ONE_ANNOTATOR = gettext_noop("One annotator: agreement needs two labels on a case.")
NO_ANNOTATOR = gettext_noop("No annotator: agreement needs two labels on a case.")
SOFT_ALPHA = gettext_noop("alpha does not take soft labels")
WEIGHTED_ALPHA = gettext_noop("alpha does not take design weights")

# What to make of an agreement.
LOW_KAPPA = gettext_noop(
    'Kappa is low because almost everything is "{label}" ({share} of the labels), '
    "so most of the agreement could be chance; {both}."
)
NONE_FAILED_BY_BOTH = gettext_noop("no case was failed by both")
FAILED_BY_BOTH = gettext_noop("{count} failed by both")
EVERY_LABEL_PASS = gettext_noop('Every label is "pass": add cases that should fail.')
EVERY_LABEL = gettext_noop('Every label is "{label}": add cases of another kind.')

# Words that stand alone: labels, and how alpha measures their distance.
LABELS = (gettext_noop("pass"), gettext_noop("fail"), gettext_noop("unsure"))
DISTANCES = (gettext_noop("nominal"), gettext_noop("ordinal"), gettext_noop("interval"))
KAPPAS = {"linear": gettext_noop("Cohen, linear weights"), "quadratic": gettext_noop("Cohen, quadratic weights")}
