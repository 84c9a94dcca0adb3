"""The settings of the product with what a test run must not share with a real one."""

import os
import tempfile

# Before the product's settings are read: a test never touches the data, or the servers, of a
# console that runs on this machine.
_data = tempfile.TemporaryDirectory(prefix="opsconsole-test-")
os.environ["OPSCONSOLE_DATA"] = _data.name
os.environ["CELERY_BROKER_URL"] = "memory://"
for _name in ("DATABASE_URL", "DATABASE_OWNER_URL"):
    os.environ.pop(_name, None)

from opsconsole.settings import *  # noqa: E402, F403

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
MAILERS = {"default": {"BACKEND": "django.core.mail.backends.locmem.EmailBackend"}}
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.InMemoryStorage"},
    # Straight from the sources: no collectstatic before a test.
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
STATIC_ROOT = None  # nothing is collected, and nobody looks for what was
# This run's PostgreSQL works without fsync: its data need not survive it.
SILENCED_SYSTEM_CHECKS = ["opsconsole.E004"]
