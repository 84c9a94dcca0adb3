"""`python -m reconciliation.sandbox`: run the sandbox receiver until it is told to stop."""

import argparse
import logging
import os
import signal
import sys
import threading
from pathlib import Path
from urllib.parse import urlsplit

from standardwebhooks.webhooks import EmptyWebhookSecretError, Webhook

from reconciliation.sandbox.background import Background
from reconciliation.sandbox.delivery import Webhooks
from reconciliation.sandbox.server import Server
from reconciliation.sandbox.store import Stores

SECRET_VARIABLE = "SANDBOX_WEBHOOK_SECRET"  # noqa: S105 - the name of a variable


def main() -> None:
    """Serve; exits 0 after SIGTERM or SIGINT, 2 with a sentence when it cannot start."""
    options = _options()
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(name)s %(message)s")
    webhooks = _webhooks(options)
    stores = Stores(options.store)
    try:
        server = Server(options.port, stores, webhooks)
    except OSError as error:
        sys.exit(_failure(f"--port: expected a free port, got {options.port}: {error.strerror}"))
    background = Background(stores, webhooks)
    background.start()
    _stop_on_signals(server)
    if options.until_stdin_closes:
        threading.Thread(target=_stop_at_end_of_stdin, args=(server,), daemon=True).start()
    sys.stdout.write(f"sandbox receiver listening on http://127.0.0.1:{server.server_port}\n")
    sys.stdout.flush()
    server.serve_forever(poll_interval=0.1)
    server.server_close()
    background.stop()
    stores.close()


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m reconciliation.sandbox", description=__doc__)
    parser.add_argument("--port", type=int, required=True, help="on loopback; 0 takes a free one")
    parser.add_argument("--store", type=Path, required=True, help="folder of its durable stores")
    parser.add_argument("--webhook-url", help="where to; {environment} is replaced")
    parser.add_argument(
        "--webhook-secret",
        action="append",
        default=[],
        metavar="[ENVIRONMENT=]SECRET",
        help=f"whsec_…; may be given again for one environment; default ${SECRET_VARIABLE}",
    )
    parser.add_argument(
        "--webhooks", action="store_true", help="tell every new effect, without any fault too"
    )
    parser.add_argument(
        "--until-stdin-closes", action="store_true", help="stop when the starter is gone"
    )
    return parser.parse_args()


def _webhooks(options: argparse.Namespace) -> Webhooks | None:
    if options.webhook_url is None:
        if options.webhooks or options.webhook_secret:
            sys.exit(_failure("--webhook-url: expected with --webhooks or --webhook-secret"))
        return None
    if urlsplit(options.webhook_url).scheme not in ("http", "https"):
        sys.exit(_failure(f"--webhook-url: expected http or https, got {options.webhook_url!r}"))
    secrets = {"": os.environ.get(SECRET_VARIABLE, "")}
    for given in options.webhook_secret:
        environment, found, secret = given.partition("=whsec_")
        secrets[environment if found else ""] = f"whsec_{secret}" if found else given
    for environment, secret in secrets.items():
        try:
            Webhook(secret)
        except (EmptyWebhookSecretError, ValueError):
            where = f"for {environment}" if environment else f"(or {SECRET_VARIABLE})"
            sys.exit(_failure(f"--webhook-secret {where}: expected whsec_ and base64"))
    return Webhooks(
        url_template=options.webhook_url, secrets=secrets, sends_always=options.webhooks
    )


def _stop_on_signals(server: Server) -> None:
    def stop(_signal: int, _frame: object) -> None:
        # shutdown() waits for the loop that this handler interrupts, so another thread calls it.
        threading.Thread(target=server.shutdown).start()

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)


def _stop_at_end_of_stdin(server: Server) -> None:
    # Not through sys.stdin: its lock, held by this thread, would break the interpreter's exit.
    while os.read(0, 1024):
        pass
    server.shutdown()


def _failure(sentence: str) -> int:
    sys.stderr.write(f"sandbox receiver: {sentence}\n")
    return 2


if __name__ == "__main__":
    main()
