"""What an operator can run."""
