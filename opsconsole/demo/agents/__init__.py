"""Agents that place orders through the Python client, and are really killed in the middle."""
