"""Refusals of what was sent: malformed, too large, unknown words, a payload its kind forbids."""

from operations.protocol.refusal import Refusal


class MalformedJSON(Refusal):
    """Members: reason, pointer (RFC 6901, "" is the whole text), expected, got."""

    code = "malformed_json"
    status = 400
    sentence = (
        'The JSON is not acceptable at "{pointer}" ({reason}): expected {expected}, got {got}.'
    )
    remedy_text = "Send one JSON text in UTF-8 that follows RFC 8259 and the limits named above."


class InvalidKey(Refusal):
    """Members: got."""

    code = "invalid_key"
    status = 400
    sentence = "key: expected 1 to 200 printable ASCII characters, got {got}."
    remedy_text = "Choose a stable name such as order-17; it is this effect's identity for ever."


class InvalidHeader(Refusal):
    """Members: field, expected, got."""

    code = "malformed_json"
    status = 400
    sentence = "{field}: expected {expected}, got {got}."
    remedy_text = "Send the request again with that header set."


class TooLarge(Refusal):
    """Members: expected (bytes allowed), got (bytes sent)."""

    code = "too_large"
    status = 413
    sentence = "The body is too large: expected at most {expected} bytes, got {got}."
    remedy_text = "Send less, and refer to large documents by a digest or a link."


class InvalidPayload(Refusal):
    """Members: field (a JSON pointer), expected, got; `mistakes` may list them all."""

    code = "invalid_payload"
    status = 422
    sentence = "payload{field}: expected {expected}, got {got}."
    remedy_text = "Correct the payload; nothing was recorded."


class InvalidField(InvalidPayload):
    """A member or query parameter beside the payload. Members: field, expected, got."""

    sentence = "{field}: expected {expected}, got {got}."
    remedy_text = "Correct that value; nothing was recorded."


class UnknownField(Refusal):
    """Members: field, expected (the names that are known)."""

    code = "unknown_field"
    status = 422
    sentence = "{field}: expected one of {expected}, got a name that is not known here."
    remedy_text = "Leave the name out; an option that is not understood is never ignored."


class UnknownKind(Refusal):
    """Members: got, expected (the kinds that are configured)."""

    code = "unknown_kind"
    status = 422
    sentence = "kind: expected one of {expected}, got {got}."
    remedy_text = "Use a configured kind, or have it added to opsconsole.toml."


class UnknownReceiver(Refusal):
    """Members: got, expected (the receivers that this environment has)."""

    code = "unknown_receiver"
    status = 422
    sentence = "receiver: expected one of {expected}, got {got}."
    remedy_text = "Use a receiver that is configured for this environment."


class UnknownEnvironment(Refusal):
    """Members: got, expected (the environments that are configured)."""

    code = "unknown_environment"
    status = 422
    sentence = "environment: expected one of {expected}, got {got}."
    remedy_text = "Use a configured environment."


class ReceiptMismatch(Refusal):
    """Members: differences (list of pointer, expected, got, reason), count."""

    code = "receipt_mismatch"
    status = 422
    sentence = (
        "The receipt does not match this operation: expected no difference, got {count}; "
        "it is kept as evidence and confirmed nothing."
    )
    remedy_text = "Compare the listed fields; a person must judge whose effect the receipt shows."
