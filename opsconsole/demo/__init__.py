"""What `make demo` shows: people, a seeded history, and agents that really crash."""
