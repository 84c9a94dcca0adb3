"""The rules of an operation in plain Python: no Django, no I/O, no clock."""
