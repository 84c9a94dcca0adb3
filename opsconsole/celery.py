"""The Celery application: everything it needs is in settings under CELERY_."""

import os

from celery import Celery

from opsconsole.broker import use_own_transport

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "opsconsole.settings")

use_own_transport()
app = Celery("opsconsole", amqp="opsconsole.broker:Amqp")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
