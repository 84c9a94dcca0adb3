"""External systems, one a file: plain Python, no Django, no rows, no clock of the database."""
