"""Every setting, grouped by concern. A value of the environment comes through env.py only."""

from pathlib import Path

from celery.schedules import schedule
from django.utils.csp import CSP

from opsconsole import env
from opsconsole.config import load_configuration
from opsconsole.databases import connection_settings
from opsconsole.embedded.directory import DataDirectory
from opsconsole.embedded.record import ServersRecord
from opsconsole.embedded.roles import RUNTIME_SESSION
from opsconsole.secret import secret_key

BASE_DIR = Path(__file__).resolve().parent.parent

# Where things are kept

OPSCONSOLE_DATA = env.path("OPSCONSOLE_DATA", default=BASE_DIR / ".data")
OPSCONSOLE_CONFIG = env.path("OPSCONSOLE_CONFIG", default=BASE_DIR / "opsconsole.toml")
DATA = DataDirectory(OPSCONSOLE_DATA)
EMBEDDED_ACCOUNT = env.text("EMBEDDED_ACCOUNT", default="nobody")

# The demo's receiver: found in the record as if its variables had been given

_record = ServersRecord.load(DATA.record)
SANDBOX_URL = env.given_or_kept("SANDBOX_URL", _record.sandbox_url if _record else "")
SANDBOX_WEBHOOK_SECRET = env.given_or_kept(
    "SANDBOX_WEBHOOK_SECRET", _record.sandbox_webhook_secret if _record else ""
)

# Environments, kinds, receivers and approval policies

OPSCONSOLE = load_configuration(OPSCONSOLE_CONFIG)

# The address people and agents use

BIND_ADDRESS = env.text("BIND_ADDRESS", default="127.0.0.1")
PORT = env.whole_number("PORT", default=8000, at_least=1, at_most=65535)
SERVED_OVER_HTTPS = env.flag("SERVED_OVER_HTTPS", default=False)
ALLOWED_HOSTS = env.words("ALLOWED_HOSTS", default=("localhost", "127.0.0.1", "[::1]"))
CSRF_TRUSTED_ORIGINS = env.words("CSRF_TRUSTED_ORIGINS", default=())
WEB_THREADS = env.whole_number("WEB_THREADS", default=64, at_least=2, at_most=1024)
WORKER_PROCESSES = env.whole_number("WORKER_PROCESSES", default=4, at_least=1, at_most=256)

# Django

DEBUG = env.flag("DEBUG", default=False)
SECRET_KEY = secret_key(DATA)
ROOT_URLCONF = "opsconsole.urls"
WSGI_APPLICATION = "opsconsole.wsgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
LANGUAGE_CODE = "en"
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"
INSTALLED_APPS = [
    "opsconsole",
    "operations",
    "reconciliation",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.postgres",
    "django_htmx",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "pgtrigger",
]
MIDDLEWARE = [
    "opsconsole.middleware.RequestIdMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "django.middleware.csp.ContentSecurityPolicyMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "opsconsole.middleware.PrivateAnswersMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "opsconsole.database_away.DatabaseAwayMiddleware",
]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "opsconsole.shell.shell",
            ],
        },
    },
]

# Database. The console runs as a role that owns nothing; migrations run as the owner.

IS_EMBEDDED_DATABASE = not env.text("DATABASE_URL", default="")
DATABASE_URL = env.url(
    "DATABASE_URL",
    default=_record.database_url if _record else "postgresql:///opsconsole",
    schemes=("postgresql", "postgres"),
)
DATABASE_OWNER_URL = env.url(
    "DATABASE_OWNER_URL",
    default=_record.owner_url if _record and IS_EMBEDDED_DATABASE else "",
    schemes=("postgresql", "postgres"),
)
DATABASE_POOL_SIZE = env.whole_number("DATABASE_POOL_SIZE", default=0, at_least=0, at_most=200)
# PgBouncer and its like, where each transaction may get another session of the server.
DATABASE_POOLER = env.choice("DATABASE_POOLER", default="none", among=("none", "transaction"))
# A pool of 0 means one connection a thread, kept open: right for worker processes.
# After five seconds without a database the pool forgets its growing pauses, and the next request
# looks at once: it would otherwise wait as long again as the database was away.
POOL_OPTIONS = {"min_size": 1, "timeout": 5, "reconnect_timeout": 5}
_pool = POOL_OPTIONS | {"max_size": DATABASE_POOL_SIZE} if DATABASE_POOL_SIZE else None
DATABASES = {
    "default": connection_settings(
        "DATABASE_URL",
        DATABASE_URL,
        session=RUNTIME_SESSION,
        pool=_pool,
        has_pooler=DATABASE_POOLER == "transaction",
    )
    | {"CONN_MAX_AGE": 0 if _pool else 60, "ATOMIC_REQUESTS": False},
}
# What `migrate` uses instead of the above; None when only one role was given.
DATABASE_OWNER = (
    connection_settings("DATABASE_OWNER_URL", DATABASE_OWNER_URL, session={"lock_timeout": "10s"})
    if DATABASE_OWNER_URL
    else None
)

# Celery. A message is only a hint with an id in it, so nothing is kept, and losing one is fine.

IS_EMBEDDED_BROKER = not env.text("CELERY_BROKER_URL", default="")
CELERY_BROKER_URL = env.url(
    "CELERY_BROKER_URL",
    default=_record.broker_url if _record else "redis://127.0.0.1:6379/0",
    schemes=("redis", "rediss", "amqp", "amqps", "memory"),
)
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
CELERY_BROKER_CONNECTION_TIMEOUT = 2
# Acknowledging costs a round trip, and one that is lost to a broker that hangs costs the worker a
# place for ever: it takes no more messages. A hint needs none; a worker that dies loses hints only.
# No retries: a request must not wait for a broker that is away, and sweeps find every row.
REDIS_OPTIONS = {
    "ack_emulation": False,
    "socket_connect_timeout": 2,
    "socket_timeout": 5,
    "max_retries": 0,
}
CELERY_BROKER_TRANSPORT_OPTIONS = REDIS_OPTIONS if CELERY_BROKER_URL.startswith("redis") else {}
CELERY_RESULT_BACKEND = None
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_PUBLISH_RETRY = False
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_CONCURRENCY = WORKER_PROCESSES
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
# Whoever reaches the broker may wake a sweep, and nothing else: no message ends a worker or steers
# one from afar.
CELERY_WORKER_CONSUMER = "opsconsole.consumer:Consumer"
CELERY_WORKER_ENABLE_REMOTE_CONTROL = False
CELERY_WORKER_CANCEL_LONG_RUNNING_TASKS_ON_CONNECTION_LOSS = False
CELERY_TIMEZONE = "UTC"
# Sweeps have a queue of their own, and `up` a process that does nothing else: receivers that hang
# can hold every other worker. A worker that is given no queues serves all, by turns.
QUEUES = ("sweep", "dispatch", "reconcile", "backlog")
CELERY_TASK_QUEUES = {queue: dict[str, str]() for queue in QUEUES}
CELERY_TASK_DEFAULT_QUEUE = "sweep"
CELERY_TASK_ROUTES = {
    "operations.tasks.dispatch_operation": {"queue": "dispatch"},
    "reconciliation.tasks.reconcile_operation": {"queue": "reconcile"},
    "reconciliation.tasks.run_statement": {"queue": "backlog"},
    "reconciliation.tasks.reconcile_due": {"queue": "backlog"},
}
SWEEP_SECONDS = env.whole_number("SWEEP_SECONDS", default=2, at_least=1, at_most=3600)
# A message that waited for a worker this long was replaced by those of later sweeps.
HINT_LIVES_SECONDS = SWEEP_SECONDS * 5
CELERY_BEAT_SCHEDULE = {
    name: {
        "task": name,
        "schedule": schedule(run_every=SWEEP_SECONDS),
        "options": {"expires": HINT_LIVES_SECONDS},
    }
    for name in (
        "operations.tasks.sweep_dispatch",
        "operations.tasks.sweep_expiries",
        "reconciliation.tasks.sweep_reconcile",
        "reconciliation.tasks.sweep_statements",
    )
}

# Sign-in

AUTHENTICATION_BACKENDS = [
    "django.contrib.auth.backends.ModelBackend",
    "allauth.account.auth_backends.AuthenticationBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 12},
    },
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "/"
ACCOUNT_ADAPTER = "opsconsole.accounts.InvitedOnlyAdapter"
ACCOUNT_LOGIN_METHODS = {"username"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "password1*", "password2*"]
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_SESSION_REMEMBER = False  # a session ends with the browser, or after SESSION_COOKIE_AGE
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes"]
MFA_TOTP_ISSUER = "opsconsole"

# Mail: only sign-in sends any. Without MAIL_HOST it is written to the log of the web server.

MAIL_HOST = env.text("MAIL_HOST", default="")
DEFAULT_FROM_EMAIL = env.text("MAIL_FROM", default="opsconsole@localhost")
_smtp = {
    "BACKEND": "django.core.mail.backends.smtp.EmailBackend",
    "OPTIONS": {
        "host": MAIL_HOST,
        "port": env.whole_number("MAIL_PORT", default=587, at_least=1, at_most=65535),
        "username": env.text("MAIL_USER", default=""),
        "password": env.text("MAIL_PASSWORD", default=""),
        "use_tls": env.flag("MAIL_TLS", default=True),
        "timeout": 10,
    },
}
MAILERS = {
    "default": _smtp if MAIL_HOST else {"BACKEND": "django.core.mail.backends.console.EmailBackend"}
}

# What a browser may do with our pages

SECURE_CSP: dict[str, list[str]] = {
    "default-src": [CSP.NONE],
    "script-src": [CSP.SELF],
    "style-src": [CSP.SELF],
    "img-src": [CSP.SELF, "data:"],
    "font-src": [CSP.SELF],
    "connect-src": [CSP.SELF],
    "form-action": [CSP.SELF],
    "base-uri": [CSP.NONE],
    "frame-ancestors": [CSP.NONE],
}
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
SESSION_COOKIE_AGE = 12 * 3600
SESSION_COOKIE_SECURE = SERVED_OVER_HTTPS
CSRF_COOKIE_SECURE = SERVED_OVER_HTTPS
SECURE_SSL_REDIRECT = SERVED_OVER_HTTPS
SECURE_HSTS_SECONDS = 365 * 24 * 3600 if SERVED_OVER_HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SERVED_OVER_HTTPS
SECURE_HSTS_PRELOAD = SERVED_OVER_HTTPS
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$", r"^metrics$"]
if SERVED_OVER_HTTPS:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")

# Static files

STATIC_URL = "/static/"
STATIC_ROOT = DATA.static
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}

# Logs: one line an event, on standard output

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"},
    },
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["console"], "level": env.text("LOG_LEVEL", default="INFO")},
}
