"""Pages of the operations app."""
