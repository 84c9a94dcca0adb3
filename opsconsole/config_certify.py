"""Reads `[receivers.NAME.certify]`: where a receiver may be probed, and with which payloads."""

from operations.protocol.payloads import MalformedJSON, digest, parse_json
from operations.receivers.base import CertifySample
from opsconsole.toml_section import Section, mistake


def read_certify(
    section: Section, environments: tuple[str, ...]
) -> tuple[CertifySample | None, tuple[str, ...]]:
    """The sample and the environments that it is for; None and nothing where none may be probed.

    A receiver is probed nowhere else, so that no account with real effects is by accident.
    Raises ImproperlyConfigured.
    """
    given = section.table("certify", {})
    if not given:
        return None, ()
    own = Section(given, section.key("certify"))
    places = own.texts("environments")
    for place in places:
        if place not in environments:
            raise mistake(own.key("environments"), f"some of {', '.join(environments)}", place)
    sample = CertifySample(
        payload=_payload(own, "payload"), other_payload=_payload(own, "other_payload")
    )
    if digest(parse_json(sample.payload)) == digest(parse_json(sample.other_payload)):
        raise mistake(own.key("other_payload"), "another payload", sample.other_payload)
    own.done()
    return sample, places


def _payload(own: Section, name: str) -> str:
    text = own.text(name)
    try:
        value = parse_json(text)
    except MalformedJSON as malformed:
        raise mistake(own.key(name), "a JSON object", malformed.detail) from None
    if not isinstance(value, dict):
        raise mistake(own.key(name), "a JSON object", text)
    return text
