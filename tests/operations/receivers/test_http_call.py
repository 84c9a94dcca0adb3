"""One call, one deadline, nothing hidden: against a server that says exactly what it is told."""

import gzip
import socket
import threading
import time

import pytest

from operations.receivers.base import NoAnswer, Request
from operations.receivers.http_call import MAX_ANSWER_BYTES, HttpAnswer, call_once
from tests.operations.receivers.conftest import Script, an_answer, says

PAUSE = threading.Event()


def a_request(script: Script, body: bytes = b'{"a":1}') -> Request:
    return Request(
        method="POST", url=f"{script.url}/orders", headers={"Idempotency-Key": "k"}, body=body
    )


def drip(connection: socket.socket, answer: bytes) -> None:
    """Send an answer byte by byte, slower than any deadline here."""
    for byte in answer:
        connection.sendall(bytes([byte]))
        PAUSE.wait(0.05)


def test_a_whole_answer_comes_back_with_its_bytes_and_headers(script: Script) -> None:
    script.act = says(an_answer("200 OK", b"\xff\x00 raw", "X-One: 1", "x-one: 2"))

    answer = call_once(a_request(script), deadline_seconds=5)

    assert isinstance(answer, HttpAnswer)
    assert (answer.status, answer.raw) == (200, b"\xff\x00 raw")
    assert answer.headers["x-one"] == "1, 2"


def test_the_request_goes_out_once_and_byte_for_byte(script: Script) -> None:
    body = b'{ "quantity": 6.0,\t"b": 1 }'
    script.act = says(an_answer("200 OK", b"{}"))

    call_once(a_request(script, body), deadline_seconds=5)

    (heard,) = script.heard
    head, _, sent_body = heard.partition(b"\r\n\r\n")
    assert sent_body == body
    assert head.startswith(b"POST /orders HTTP/1.1\r\n")
    assert b"\r\nidempotency-key: k\r\n" in head.lower()
    assert b"\r\naccept-encoding: identity\r\n" in head.lower()


@pytest.mark.parametrize(
    "answer", [b"", b"HTTP/1.1 200 OK\r\nContent-", b"not http at all\r\n\r\n"]
)
def test_a_broken_connection_is_not_tried_again(script: Script, answer: bytes) -> None:
    script.act = says(answer)

    outcome = call_once(a_request(script), deadline_seconds=5)

    assert isinstance(outcome, NoAnswer)
    assert (outcome.sent, outcome.status) == (True, None)
    assert len(script.heard) == 1


def test_an_answer_that_breaks_off_keeps_what_came(script: Script) -> None:
    whole = an_answer("422 Unprocessable", b'{"error":{"code":"order_refused"}}')
    script.act = says(whole[:-9])

    outcome = call_once(a_request(script), deadline_seconds=5)

    assert isinstance(outcome, NoAnswer)
    assert outcome.status == 422
    assert outcome.raw == b'{"error":{"code":"order_r'
    assert outcome.detail.startswith("an answer with status 422 broke off: ")
    assert outcome.sent is True


@pytest.mark.parametrize("status", ["301 Moved", "302 Found", "303 See", "307 Temp", "308 Perm"])
def test_no_redirect_is_followed(script: Script, status: str) -> None:
    script.act = says(an_answer(status, b"", f"Location: {script.url}/elsewhere"))

    answer = call_once(a_request(script), deadline_seconds=5)

    assert isinstance(answer, HttpAnswer)
    assert answer.status == int(status[:3])
    assert len(script.heard) == 1


@pytest.mark.parametrize("place", ["head", "body"])
def test_an_answer_that_drips_in_ends_at_the_deadline(script: Script, place: str) -> None:
    whole = an_answer("200 OK", b'{"operation_id":"a"}' * 20)
    head, separator, body = whole.partition(b"\r\n\r\n")

    def act(connection: socket.socket) -> None:
        if place == "body":
            connection.sendall(head + separator)
            drip(connection, body)
        drip(connection, whole)

    script.act = act
    began_at = time.monotonic()

    outcome = call_once(a_request(script), deadline_seconds=0.5)

    assert 0.5 <= time.monotonic() - began_at < 0.8
    assert isinstance(outcome, NoAnswer)
    assert outcome.status == (200 if place == "body" else None)


def test_a_receiver_that_reads_slowly_ends_at_the_deadline() -> None:
    listener = socket.create_server(("127.0.0.1", 0))
    is_over = threading.Event()

    def read_slowly() -> None:
        connection, _ = listener.accept()
        with connection:
            # Fast enough that no single write is held up for long, too slow for all of them.
            while not is_over.wait(0.01):
                connection.recv(65_536)

    thread = threading.Thread(target=read_slowly)
    thread.start()
    url = f"http://127.0.0.1:{listener.getsockname()[1]}/orders"
    request = Request(method="POST", url=url, headers={}, body=b"x" * 64 * 1024 * 1024)
    began_at = time.monotonic()

    outcome = call_once(request, deadline_seconds=0.5)

    took_seconds = time.monotonic() - began_at
    is_over.set()
    thread.join()
    listener.close()
    assert 0.5 <= took_seconds < 1
    assert isinstance(outcome, NoAnswer)
    assert outcome.sent is None, "part of it left, so nothing is known"


def test_an_answer_without_end_is_cut_at_its_limit(script: Script) -> None:
    def act(connection: socket.socket) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        while True:
            connection.sendall(b"x" * 65_536)

    script.act = act

    outcome = call_once(a_request(script), deadline_seconds=20)

    assert isinstance(outcome, NoAnswer)
    assert outcome.status == 200
    assert len(outcome.raw) == MAX_ANSWER_BYTES
    assert outcome.detail == f"the answer is longer than {MAX_ANSWER_BYTES} bytes"


def test_a_head_without_end_is_no_answer(script: Script) -> None:
    def act(connection: socket.socket) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\n")
        while True:
            connection.sendall(b"X-More: " + b"x" * 65_536 + b"\r\n")

    script.act = act

    outcome = call_once(a_request(script), deadline_seconds=20)

    assert isinstance(outcome, NoAnswer)
    assert outcome.status is None


def test_a_compressed_body_is_kept_as_it_came(script: Script) -> None:
    bomb = gzip.compress(b"0" * 10_000_000)
    script.act = says(an_answer("200 OK", bomb, "Content-Encoding: gzip"))

    answer = call_once(a_request(script), deadline_seconds=5)

    assert isinstance(answer, HttpAnswer)
    assert answer.raw == bomb


def test_proxies_of_the_environment_are_not_used(
    script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    script.act = says(an_answer("200 OK", b"{}"))

    assert isinstance(call_once(a_request(script), deadline_seconds=5), HttpAnswer)


@pytest.mark.parametrize("name", ["Idempotency-Key", "X Y"])
def test_a_header_that_cannot_be_sent_sends_nothing(script: Script, name: str) -> None:
    request = Request(
        method="POST", url=f"{script.url}/orders", headers={name: "a\r\nb: c"}, body=b""
    )

    outcome = call_once(request, deadline_seconds=5)

    assert isinstance(outcome, NoAnswer)
    assert outcome.sent is False


def test_a_name_that_does_not_resolve_sends_nothing() -> None:
    request = Request(method="POST", url="http://nowhere.invalid/", headers={}, body=b"")

    outcome = call_once(request, deadline_seconds=5)

    assert isinstance(outcome, NoAnswer)
    assert outcome.sent is False
