"""Reads of the reconciliation app: never locks, changes nothing."""
