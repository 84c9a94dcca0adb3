"""PostgreSQL and Valkey from their wheels, and the supervisor behind `manage.py up`.

Plain Python and psycopg: nothing here needs Django, so the servers can start before settings load.
"""
