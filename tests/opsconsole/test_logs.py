"""An event is one line, whatever it holds."""

import logging

import structlog


def test_an_event_reaches_the_standard_log_with_its_request(caplog):
    with (
        caplog.at_level(logging.INFO),
        structlog.contextvars.bound_contextvars(request_id="caller-0001"),
    ):
        structlog.get_logger().info("hint lost", task="sweep", error="a b\nforged line")
    record = caplog.records[-1]
    assert record.levelname == "INFO"
    assert record.name == __name__
    assert record.getMessage() == (
        "hint lost task=sweep error='a b\\nforged line' request_id=caller-0001"
    )


def test_a_percent_sign_is_no_format(caplog):
    structlog.get_logger().warning("100 %s done")
    assert caplog.records[-1].getMessage() == "100 %s done"
