"""The forms of decisions: what a person types, and nothing that is judged."""
