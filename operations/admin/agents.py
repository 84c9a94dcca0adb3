"""Agents and their tokens."""

from typing import Any, override

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.forms import ModelForm
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.cache import add_never_cache_headers

from operations import clock
from operations.actions.change_agent import add_agent, change_agent
from operations.actions.create_token import create_token
from operations.actions.revoke_token import revoke_token
from operations.admin.site import Administered, site
from operations.models import Agent, ApiToken
from operations.registry import configuration
from operations.web.access import actor_of

type AnyForm = ModelForm[Any]


@admin.register(Agent, site=site)
class AgentAdmin(Administered):
    """Who answers for an agent, and whether it may come in. Its name is its identity, for good."""

    list_display = ("name", "responsible", "is_active", "created_at")
    list_filter = ("is_active",)
    search_fields = ("name",)
    fields = ("name", "responsible", "is_active")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Agent]:
        """With the person whom each row shows."""
        return super().get_queryset(request).select_related("responsible")

    def get_fields(self, request: HttpRequest, obj: Agent | None = None) -> Any:
        """A new agent is active."""
        return self.fields if obj else ("name", "responsible")

    def get_readonly_fields(self, request: HttpRequest, obj: Agent | None = None) -> Any:
        """The name, once it is given."""
        return ("name",) if obj else ()

    @override
    def save_model(self, request: HttpRequest, obj: Agent, form: AnyForm, change: bool) -> None:
        """Through the actions, which write the entries."""
        actor = actor_of(request)
        if change:
            change_agent(
                actor=actor,
                agent_id=obj.pk,
                responsible=obj.responsible,
                is_active=obj.is_active,
            )
        else:
            obj.pk = add_agent(actor=actor, name=obj.name, responsible=obj.responsible).pk


class TokenForm(ModelForm):  # type: ignore[type-arg]  # not generic when it runs
    """What a token reaches; nothing chosen means everything that is configured."""

    environments = forms.MultipleChoiceField(required=False)
    kinds = forms.MultipleChoiceField(required=False)
    receivers = forms.MultipleChoiceField(required=False)

    class Meta:
        model = ApiToken
        fields = ("agent", "owner", "environments", "kinds", "receivers", "expires_at")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        known = configuration()
        names = {
            "environments": known.environments,
            "kinds": sorted(known.kinds),
            "receivers": sorted({name for _, name in known.receivers}),
        }
        for field, words in names.items():
            self.fields[field].choices = [(word, word) for word in words]  # type: ignore[attr-defined]
            self.fields[field].help_text = "Nothing chosen: all of them."
        self.fields["owner"].queryset = self.fields["owner"].queryset.filter(is_active=True)  # type: ignore[attr-defined]
        self.fields["expires_at"].required = False
        self.fields["expires_at"].help_text = "Nothing: until it is revoked."

    def clean_expires_at(self) -> Any:
        """An instant that is still to come, or none."""
        at = self.cleaned_data["expires_at"]
        if at is not None and at <= clock.now():
            raise forms.ValidationError("Expected an instant in the future, got one that is past.")
        return at


@admin.register(ApiToken, site=site)
class TokenAdmin(Administered):
    """Tokens are made and revoked. The secret is told once, and kept as its digest only."""

    list_display = ("prefix", "agent", "owner", "expires_at", "revoked_at", "last_used_at")
    list_filter = ("agent",)
    form = TokenForm
    actions = ("revoke",)
    told = ("prefix", "agent", "owner", "environments", "kinds", "receivers")
    times = ("created_at", "expires_at", "last_used_at", "revoked_at")

    def get_queryset(self, request: HttpRequest) -> QuerySet[ApiToken]:
        """With the agents and people whom each row shows."""
        return super().get_queryset(request).select_related("agent", "owner")

    def get_form(self, request: HttpRequest, obj: Any = None, *args: Any, **kwargs: Any) -> Any:
        """The form is for a new token; one that is there is only read."""
        if obj is not None:
            kwargs["form"] = ModelForm
        return super().get_form(request, obj, *args, **kwargs)

    def get_fields(self, request: HttpRequest, obj: ApiToken | None = None) -> Any:
        """All but the digest, or what a new one needs."""
        return (*self.told, *self.times) if obj else TokenForm.Meta.fields

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Never: another reach is another token."""
        return False

    @override
    def save_model(self, request: HttpRequest, obj: Any, form: AnyForm, change: bool) -> None:
        """Through the action, which writes the entry; the secret goes into the answer alone."""
        made = create_token(
            actor=actor_of(request),
            agent_name=obj.agent.name,
            owner=obj.owner,
            environments=tuple(obj.environments),
            kinds=tuple(obj.kinds),
            receivers=tuple(obj.receivers),
            expires_at=obj.expires_at,
        )
        obj.pk = made.token.pk
        obj.prefix = made.token.prefix
        obj.secret = made.secret

    def response_add(
        self, request: HttpRequest, obj: Any, post_url_continue: str | None = None
    ) -> HttpResponse:
        """The only page that ever shows the secret; no browser or proxy keeps it."""
        context = {**site.each_context(request), "title": "The new token", "token": obj}
        response = TemplateResponse(request, "admin/token_made.html", context)
        add_never_cache_headers(response)
        return response

    @admin.action(description="Revoke the selected tokens")
    def revoke(self, request: HttpRequest, chosen: QuerySet[ApiToken]) -> None:
        """Each is revoked in a transaction of its own; a second time changes nothing."""
        done = [revoke_token(actor=actor_of(request), token_id=row.pk) for row in chosen]
        words = f"{sum(done)} revoked, {len(done) - sum(done)} were revoked already."
        self.message_user(request, words, messages.SUCCESS)
