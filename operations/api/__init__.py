"""The HTTP API under /api/v1: bearer tokens, exact JSON, problem documents."""
