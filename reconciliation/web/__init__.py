"""Pages of the reconciliation app."""
