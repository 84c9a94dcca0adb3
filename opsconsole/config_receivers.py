"""Reads the receivers of opsconsole.toml: profile, places, and what a connector alone knows."""

from collections.abc import Callable

from operations.protocol.profiles import Profile, RefusalRule, profile_mistakes
from operations.receivers.base import ConfigMistake, ReceiverConfig
from operations.receivers.connectors import BUILDERS
from operations.receivers.connectors import connector as build_connector
from operations.receivers.stripe_words import PUBLIC_BASE
from opsconsole.config_certify import read_certify
from opsconsole.config_http import read_http
from opsconsole.config_stripe import read_stripe
from opsconsole.toml_section import Section, mistake

# What a connector alone is told, in the receiver's table of the connector's name.
READERS: dict[str, Callable[[Section], object]] = {
    "http": read_http,
    "stripe": read_stripe,
}
# Where a connector's receiver is when no base_url says it.
ADDRESSES = {"stripe": PUBLIC_BASE}


def read_receiver(
    name: str, section: Section, environments: tuple[str, ...]
) -> list[ReceiverConfig]:
    """`[receivers.NAME]` as configured for each environment. Raises ImproperlyConfigured."""
    connector = section.text("connector")
    if connector not in BUILDERS:
        raise mistake(section.key("connector"), " or ".join(sorted(BUILDERS)), connector)
    profile = _profile(name, connector, section)
    settings = _settings(connector, section)
    sample, probed = read_certify(section, environments)

    def in_environment(environment: str, place: Section) -> ReceiverConfig:
        if environment not in environments:
            raise mistake(place.path, f"one of {', '.join(environments)}", environment)
        config = ReceiverConfig(
            name=name,
            environment=environment,
            profile=profile,
            base_url=place.text("base_url", ADDRESSES.get(connector, "")),
            webhook_secret=place.text("webhook_secret", ""),
            settings=settings,
            credentials=_credentials(place),
            certify=sample if environment in probed else None,
        )
        if profile.has_lookup and not config.base_url:
            raise mistake(place.key("base_url"), "an address, since it can be looked up", "nothing")
        place.done()
        try:
            build_connector(config)
        except ConfigMistake as flaw:
            raise mistake(place.key(flaw.field_name), flaw.expected, flaw.got) from None
        return config

    configs = list(section.sections("environments", in_environment).values())
    section.done()
    if not configs:
        raise mistake(section.key("environments"), "at least one environment", "none")
    return configs


def _credentials(place: Section) -> dict[str, str]:
    """Each may be {env = "NAME"}, so that no secret stands in the file."""
    own = Section(place.table("credentials", {}), place.key("credentials"))
    return {name: own.text(name) for name in own.values}


def _settings(connector: str, section: Section) -> object:
    if connector not in READERS:
        return None
    own = Section(section.table(connector), section.key(connector))
    settings = READERS[connector](own)
    own.done()
    return settings


def _profile(name: str, connector: str, section: Section) -> Profile:
    refusals = []
    for rule in section.list_of_sections("definite_refusals"):
        refusals.append(RefusalRule(rule.number("status", None), rule.text("code", None)))
        rule.done()
    fields = section.texts("significant_fields", ())
    profile = Profile(
        receiver=name,
        connector=connector,
        deduplicates=section.flag("deduplicates", default=False),
        dedup_window_seconds=section.number("dedup_window_seconds", None),
        dedup_margin_seconds=section.number("dedup_margin_seconds", 0),
        notices_changed_payload=section.flag("notices_changed_payload", default=False),
        has_lookup=section.flag("has_lookup", default=False),
        lookup_lag_seconds=section.number("lookup_lag_seconds", 0),
        delivery_delay_seconds=section.number("delivery_delay_seconds", 0),
        enforces_fencing=section.flag("enforces_fencing", default=False),
        send_within_seconds=section.number("send_within_seconds", 30, at_least=1),
        definite_refusals=tuple(refusals),
        significant_fields=fields or None,
        second_person=section.flag("second_person", default=True),
        lookup_interval_seconds=section.number("lookup_interval_seconds", 30, at_least=1),
        lookup_limit_seconds=section.number("lookup_limit_seconds", 900, at_least=1),
        lookups_at_once=section.number("lookups_at_once", 8, at_least=1),
        lookups_per_minute=section.number("lookups_per_minute", None, at_least=1),
        circuit_after_failures=section.number("circuit_after_failures", 5, at_least=1),
        circuit_pause_seconds=section.number("circuit_pause_seconds", 30, at_least=1),
        link_template=section.text("link_template", ""),
        contact=section.text("contact", ""),
        runbook=section.text("runbook", ""),
        claims_before_stalled=section.number("claims_before_stalled", 5, at_least=1),
        due_limit_seconds=section.number("due_limit_seconds", 300, at_least=1),
    )
    for field, expected, got in profile_mistakes(profile):
        raise mistake(section.key(field), expected, got)
    return profile
