"""Fixed words of Stripe's, for those who do without its package."""

PUBLIC_BASE = "https://api.stripe.com"

# The word for an invalid request that carries no code of its own: its type.
UNCODED = "invalid_request_error"
# The console's own word for "this key belongs to another request": never a refusal (rule 6).
KEY_REUSED = "idempotency_conflict"

# Answers after which the effect may exist, or may still be asked for under the same key.
NEVER_DEFINITE = {
    KEY_REUSED: "another request came under this key before, and may have had its effect",
    "idempotency_error": "another request came under this key before",
    "idempotency_key_in_use": "the first request under this key is still being worked on",
    "api_error": "an error of Stripe's own says nothing about the effect",
    "rate_limit": "turned away before it was looked at; the same request may be taken later",
    "lock_timeout": "another request holds the object; the same request may be taken later",
    "authentication_error": "our API key was refused, not the request",
    "permission_error": "our API key may not do this; the request was not judged",
    "processing_error": "the card's issuer gave no clear answer",
}
