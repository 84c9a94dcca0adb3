"""Reads `[receivers.NAME.stripe]`: what to make there, and where a payload says it."""

from operations.receivers.stripe_settings import Made, StripeSettings, settings_mistakes
from opsconsole.toml_section import Section, mistake

REFERENCES = {
    Made.REFUND: ("payment_intent", "charge"),
    Made.PAYMENT_INTENT: ("payment_method", "customer"),
}


def read_stripe(section: Section) -> StripeSettings:
    """The settings. Raises ImproperlyConfigured with a sentence that names the key."""
    word = section.text("makes")
    if word not in set(Made):
        raise mistake(section.key("makes"), " or ".join(Made), word)
    makes = Made(word)
    pointers = {name: section.text(f"{name}_pointer", "") for name in REFERENCES[makes]}
    settings = StripeSettings(
        makes=makes,
        amount_pointer=section.text("amount_pointer"),
        currency_pointer=section.text("currency_pointer"),
        references={name: pointer for name, pointer in pointers.items() if pointer},
        payment_method_types=_payment_method_types(makes, section),
        search_limit=section.number("search_limit", 1000, at_least=1),
        live_environments=section.texts("live_environments", ()),
    )
    for field, expected, got in settings_mistakes(settings):
        raise mistake(section.key(field), expected, got)
    return settings


def _payment_method_types(makes: Made, section: Section) -> tuple[str, ...]:
    if makes is not Made.PAYMENT_INTENT:
        return ()
    return section.texts("payment_method_types", ("card",))
