"""The sandbox receiver: a process of its own with a store of its own, plain Python.

It shares no code with the console on purpose: a mistake in the console's own reading or comparing
of payloads must not be made by its counterpart too.
"""
