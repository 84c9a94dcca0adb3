"""One view for each decision about an operation: parse, call, tell."""
