"""Whether an address is free, asked before anything starts."""

import socket

from opsconsole.embedded.errors import CannotStart


def require_free(name: str, address: str, port: int) -> None:
    """Return when `port` can be taken. Raises CannotStart naming the variable that sets it."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((address, port))
        except OSError as error:
            raise CannotStart(
                f"{name}: expected a free port on {address}; got {port} ({error.strerror}). "
                f"Another program uses it. Stop that, or choose another: {name}={port + 1}."
            ) from error


def free_port(*, kept: int) -> int:
    """Return the kept loopback port while it is free, else one that the kernel picks."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", kept))
        except OSError:
            probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
