"""When to look again, and what an answer means: plain Python, no clock of its own."""
