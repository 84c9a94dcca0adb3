"""Campaign 1: the protocol as a model, explored exhaustively, the correct rules and broken ones."""
