"""What the API of this app says and hears. Blind: no judge, no other person, no stratum."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from labeling.models import VerdictWord


class RoundSerializer(serializers.Serializer[Any]):
    """A round one may see, with one's own part; ``done`` and ``wanted`` of the whole for its lead only."""

    id = serializers.IntegerField(source="round.pk")
    name = serializers.CharField(source="round.name")
    state = serializers.CharField(source="round.state")
    is_training = serializers.BooleanField(source="round.is_training")
    is_seated = serializers.BooleanField()
    own_done = serializers.IntegerField()
    own_wanted = serializers.IntegerField()
    own_skipped = serializers.IntegerField()
    done = serializers.SerializerMethodField()
    wanted = serializers.SerializerMethodField()

    def get_done(self, listed: Any) -> int | None:
        return listed.done if listed.is_led else None

    def get_wanted(self, listed: Any) -> int | None:
        return listed.wanted if listed.is_led else None


class ShareSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    done = serializers.IntegerField()
    wanted = serializers.IntegerField()


class OwnSerializer(ShareSerializer):
    """``skipped``: passed on by oneself and still without a label."""

    skipped = serializers.IntegerField()


class PersonSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    done = serializers.IntegerField()
    wanted = serializers.IntegerField()
    skipped = serializers.IntegerField()
    median_seconds = serializers.FloatField(allow_null=True)


class ProgressSerializer(serializers.Serializer[Any]):
    """One's own part; people and strata for the lead, whose figures are null to everybody else."""

    own = OwnSerializer(allow_null=True)
    cases = serializers.IntegerField(allow_null=True)
    complete = serializers.IntegerField(allow_null=True)
    done = serializers.IntegerField(allow_null=True)
    wanted = serializers.IntegerField(allow_null=True)
    people = PersonSerializer(many=True)
    strata = ShareSerializer(many=True)


class QuestionSerializer(serializers.Serializer[Any]):
    key = serializers.CharField()
    title = serializers.CharField()
    guideline = serializers.CharField()
    unit_kind = serializers.CharField()
    grades = serializers.ListField(child=serializers.FloatField())
    needs_expected = serializers.BooleanField()


class SlotSerializer(serializers.Serializer[Any]):
    """A case to label: its texts and units, the questions, and one's own newest answer."""

    id = serializers.IntegerField()
    round = serializers.IntegerField()
    case_id = serializers.CharField()
    input = serializers.CharField(allow_null=True)
    actual_output = serializers.CharField(allow_null=True)
    expected_output = serializers.CharField(allow_null=True, help_text="null until the expected answer is opened")
    units = serializers.DictField(child=serializers.ListField(child=serializers.CharField()))
    questions = QuestionSerializer(many=True)
    revision = serializers.IntegerField()
    lease_token = serializers.UUIDField(allow_null=True)
    lease_expires_at = serializers.DateTimeField(allow_null=True)
    answer = serializers.DictField(child=serializers.CharField())
    draft = serializers.DictField(child=serializers.CharField())


class VerdictSerializer(serializers.Serializer[Any]):
    metric = serializers.CharField(max_length=60)
    verdict = serializers.ChoiceField(choices=VerdictWord.choices, required=False, default="")
    grade = serializers.FloatField(required=False, allow_null=True, default=None)


class UnitVerdictSerializer(serializers.Serializer[Any]):
    metric = serializers.CharField(max_length=60)
    kind = serializers.ChoiceField(choices=[("claim", "claim"), ("expected", "expected"), ("chunk", "chunk")])
    index = serializers.IntegerField(min_value=0)
    verdict = serializers.CharField(max_length=20)
    evidence = serializers.ListField(child=serializers.IntegerField(min_value=0), required=False, default=list)


class SubmissionSerializer(serializers.Serializer[Any]):
    """One submission. The same ``client_id`` again changes nothing; ``based_on`` is the revision the client saw."""

    client_id = serializers.UUIDField()
    based_on = serializers.IntegerField(min_value=0, default=0)
    lease_token = serializers.UUIDField(required=False, allow_null=True, default=None)
    verdicts = VerdictSerializer(many=True)
    unit_verdicts = UnitVerdictSerializer(many=True, required=False, default=list)
    critique = serializers.CharField(required=False, allow_blank=True, default="", max_length=4000)
    failure_mode = serializers.CharField(required=False, allow_blank=True, default="", max_length=40)
    seconds = serializers.FloatField(required=False, allow_null=True, default=None, min_value=0, max_value=1e6)


class LabelSerializer(serializers.Serializer[Any]):
    """One's own label as it is stored."""

    slot = serializers.IntegerField(source="slot_id")
    revision = serializers.IntegerField()
    client_id = serializers.UUIDField()
    created_at = serializers.DateTimeField()
    critique = serializers.CharField()
    failure_mode = serializers.CharField()
    verdicts = serializers.SerializerMethodField()

    def get_verdicts(self, label: Any) -> dict[str, str]:
        return {each.metric: each.verdict for each in label.verdicts.all()}


class ConflictSerializer(serializers.Serializer[Any]):
    detail = serializers.CharField()
    stored = LabelSerializer(allow_null=True)


class DraftSerializer(serializers.Serializer[Any]):
    content = serializers.DictField(child=serializers.CharField(allow_blank=True, max_length=5000))


class SavedSerializer(serializers.Serializer[Any]):
    saved_at = serializers.DateTimeField()


class SkipSerializer(serializers.Serializer[Any]):
    reason = serializers.CharField(max_length=20)
