"""Campaigns: ways to break the promise that nothing is sent twice and nothing is lost."""
