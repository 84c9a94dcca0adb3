"""A pass over a statement's file: what it is for, and how it stands."""

from enum import StrEnum


class Purpose(StrEnum):
    """A dry run changes no operation; an application carries exact matches out."""

    REHEARSE = "rehearse"
    APPLY = "apply"


class RunStatus(StrEnum):
    """`failed`: the file can't be understood; nothing of it counts."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


GOING_ON = (RunStatus.WAITING, RunStatus.RUNNING)


class ProposalStatus(StrEnum):
    """An application that was proposed. Whoever reads an overdue one derives that it is over."""

    OPEN = "open"
    GRANTED = "granted"
    REJECTED = "rejected"
    EXPIRED = "expired"
