"""Errors of a send.

```
SendError
├── NotSent              the message was definitely not sent
│   ├── TooLarge           its body is larger than `message.max_size`
│   ├── NotAsDescribed     it is not JSON, does not match its schema, or lacks a field that the spec needs
│   ├── BacklogFull        `stream.backlog.limit` is reached
│   ├── RedisAbsent        there was no connection
│   ├── RedisRefused       Redis answered with an error; `.code` says which
│   ├── BreakerOpen        Redis failed too often; nothing is sent until the cool-down ends
│   ├── TimedOut           `timeout` expired before it was sent
│   └── Closed             the producer was closed before it was sent
└── Unknown              no answer came: the message may have been sent; `.id` is its id
```
"""

from __future__ import annotations

from typing import ClassVar

from penstock.message.unreadable import MessageProblem, Reason


class SendError(Exception):
    """A send that failed, or whose result is unknown."""

    outcome: ClassVar[str]
    """The label of the metric `penstock_sent_total`."""


class NotSent(SendError):  # noqa: N818 - the base of several results, whose names say what happened
    """Nothing was sent: sending it again creates no duplicate."""


class InvalidMessage(NotSent):
    """The message breaks the spec. Redis was not called."""

    outcome = "invalid"

    def __init__(self, reason: Reason, says: str) -> None:
        """`reason` is for programs, `says` for people. Neither quotes the message."""
        super().__init__(reason, says)
        self.reason: Reason = reason
        self.says = says

    def __str__(self) -> str:
        """Return the sentence."""
        return self.says


class TooLarge(InvalidMessage):
    """Its body is larger than `message.max_size`."""


class NotAsDescribed(InvalidMessage):
    """It is not JSON, does not match its schema, or lacks a field that the spec needs."""


def invalid_message(problem: MessageProblem) -> InvalidMessage:
    """Return the error for a message that no worker could read."""
    kind = TooLarge if problem.reason == "too-large" else NotAsDescribed
    return kind(problem.reason, problem.says)


class BacklogFull(NotSent):
    """`stream.backlog.limit` is reached."""

    outcome = "rejected"


class RedisAbsent(NotSent):
    """There was no connection."""

    outcome = "absent"


class RedisRefused(NotSent):
    """Redis answered with an error."""

    outcome = "refused"

    def __init__(self, says: str, code: str) -> None:
        """`says` is Redis's answer, `code` its first word, such as `OOM`."""
        super().__init__(says, code)
        self.code = code

    def __str__(self) -> str:
        """Return the answer."""
        return str(self.args[0])


class BreakerOpen(NotSent):
    """Redis failed too often; nothing is sent until the cool-down ends."""

    outcome = "withheld"


class TimedOut(NotSent):
    """`timeout` expired before it was sent."""

    outcome = "withheld"


class Closed(NotSent):
    """The producer was closed before the message was sent."""

    outcome = "withheld"


def closed() -> Closed:
    """Return the error of a message that comes after close."""
    return Closed("the producer is closed")


class Unknown(SendError):  # noqa: N818 - as above
    """No answer came: the message may have been sent, and sending it again may duplicate it.

    `send` raises it; `send_many` returns it among the outcomes.
    """

    outcome = "unknown"

    def __init__(self, says: str, id: str) -> None:  # noqa: A002 - as in the other outcomes
        """`says` is what happened; `id` is the message's id."""
        super().__init__(says, id)
        self.id = id

    def __str__(self) -> str:
        """Return both."""
        return f"{self.args[0]}; message {self.id} may have been sent"
