"""Campaign 8: all faults at once, by a seeded schedule; then everything heals and settles."""
