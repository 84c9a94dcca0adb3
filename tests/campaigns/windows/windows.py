"""The windows of an external call: where a sender dies, and what a receiver may answer."""

from dataclasses import dataclass
from enum import StrEnum


class Death(StrEnum):
    """Where the sending process is killed with SIGKILL."""

    BEFORE_THE_CALL = "before the call"
    DURING_THE_CALL = "during the call"  # the receiver has the effect, its answer is not here yet
    BEFORE_THE_SAVE = "before the save"
    AFTER_THE_SAVE = "after the save"


@dataclass(frozen=True, slots=True)
class Window:
    """One row of the table. `fault` is armed at the sandbox; `seconds` are its own.

    `relayed` asks for the relay, which changes the answer by the `code` in the operation's key.
    """

    code: str
    sentence: str
    death: Death | None = None
    fault: str = ""
    seconds: float | None = None
    relayed: bool = False


WINDOWS = (
    Window("before-call", "killed after the mark, before the call", Death.BEFORE_THE_CALL),
    Window(
        "before-answer",
        "killed after the receiver acted, before its answer",
        Death.DURING_THE_CALL,
        "answer_late",
        20.0,
    ),
    Window("before-save", "killed after the answer, before the save", Death.BEFORE_THE_SAVE),
    Window("after-save", "killed after the save", Death.AFTER_THE_SAVE),
    Window("fine", "nothing goes wrong"),
    Window("lost", "the answer is lost", None, "lose_reply"),
    Window("reset", "the connection is reset after the effect", None, "reset"),
    Window("late", "the answer comes after the send deadline", None, "answer_late", 6.0),
    Window("hang", "the receiver hangs and never acts", None, "hang", 6.0),
    Window("late-effect", "no answer, and the effect follows later", None, "commit_late", 0.8),
    Window("error", "503 after the effect", None, "error_after_commit"),
    Window("garbage", "half a receipt, or a page instead of one", None, "garbage_reply"),
    Window("pending", "the receipt says pending for ever", None, "pending", 3600.0),
    Window("changed", "the receipt carries another payload", None, "change_payload"),
    Window("other", "the receipt is another operation's", relayed=True),
    Window("cut", "the body ends in the middle", relayed=True),
    Window("empty", "202 with an empty body", relayed=True),
    Window("duplicate", "409: a duplicate, and no receipt", None, "duplicate"),
    Window("redirect", "307 to another address", None, "redirect"),
    Window("refuse", "422: the receiver's definite no", None, "refuse"),
)
