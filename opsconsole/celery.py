"""The Celery application: everything it needs is in settings under CELERY_."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "opsconsole.settings")

app = Celery("opsconsole")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
