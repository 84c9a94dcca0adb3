"""Over TLS the same holds; and a receiver that is not trusted hears nothing."""

import datetime
import ipaddress
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import httpcore
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from operations.receivers.base import NoAnswer, Request
from operations.receivers.deadline import Deadline, DeadlineBackend
from operations.receivers.http_call import HttpAnswer, call_once
from tests.operations.receivers.conftest import an_answer

BODY = b"x" * 500_000


@dataclass
class TlsServer:
    """A server with a certificate of its own making; `heard` counts bytes inside the TLS."""

    request: Request
    certificate: Path
    heard: list[int] = field(default_factory=list)


@pytest.fixture
def tls_server(tmp_path: Path) -> Iterator[TlsServer]:
    certificate, private_key = tmp_path / "certificate.pem", tmp_path / "key.pem"
    _write_certificate(certificate, private_key)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, private_key)
    listener = socket.create_server(("127.0.0.1", 0))
    url = f"https://127.0.0.1:{listener.getsockname()[1]}/orders"
    request = Request(method="POST", url=url, headers={}, body=BODY)
    server = TlsServer(request, certificate)

    def serve() -> None:
        plain, _ = listener.accept()
        with plain, suppress(OSError), context.wrap_socket(plain, server_side=True) as connection:
            heard = 0
            while heard < len(BODY) and (more := connection.recv(65_536)):
                heard += len(more)
            server.heard.append(heard)
            connection.sendall(an_answer("200 OK", b"{}"))

    thread = threading.Thread(target=serve)
    thread.start()
    yield server
    thread.join(timeout=5)
    listener.close()


def test_a_trusted_receiver_gets_the_whole_request(
    tls_server: TlsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(tls_server.certificate))

    answer = call_once(tls_server.request, deadline_seconds=5)

    assert isinstance(answer, HttpAnswer)
    assert tls_server.heard[0] >= len(BODY)


def test_a_receiver_that_is_not_trusted_hears_nothing(tls_server: TlsServer) -> None:
    outcome = call_once(tls_server.request, deadline_seconds=5)

    assert isinstance(outcome, NoAnswer)
    assert outcome.sent is False
    assert "CERTIFICATE_VERIFY_FAILED" in outcome.detail
    assert tls_server.heard == []


def test_a_handshake_without_end_is_over_at_the_deadline() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"https://127.0.0.1:{silent.getsockname()[1]}/orders"
        began_at = time.monotonic()

        outcome = call_once(
            Request(method="POST", url=url, headers={}, body=b""), deadline_seconds=0.4
        )

    assert 0.4 <= time.monotonic() - began_at < 0.8
    assert isinstance(outcome, NoAnswer)
    assert outcome.sent is False


def test_a_connection_that_took_all_the_time_is_closed_before_hands_are_shaken() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        backend = DeadlineBackend(Deadline.within(60))
        stream = backend.connect_tcp("127.0.0.1", silent.getsockname()[1])
        backend.deadline = Deadline.within(0)
        with pytest.raises(httpcore.ConnectTimeout):
            stream.start_tls(ssl.create_default_context())
        assert stream.get_extra_info("socket").fileno() == -1


def _write_certificate(certificate: Path, private_key: Path) -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "receiver of a test")])
    now = datetime.datetime.now(tz=datetime.UTC)
    address = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
    signed = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(hours=1))
        .not_valid_after(now + datetime.timedelta(hours=1))
        .add_extension(x509.SubjectAlternativeName([address]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    certificate.write_bytes(signed.public_bytes(serialization.Encoding.PEM))
    private_key.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
