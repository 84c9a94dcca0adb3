"""Wiring only: settings, entry points, the embedded servers. No app imports it.

Nothing is imported here, so that `opsconsole.client` stays free of Django.
"""
