"""Why a message was not sent, or why nobody knows whether it was.

```
SendError
├── NotSent              it is certain that it was not
│   ├── TooLarge           its body has more bytes than `message.max_size`
│   ├── NotAsDescribed     it is no JSON, does not fit its schema, or lacks a field that the spec names
│   ├── BacklogFull        as much waits as `stream.backlog.limit` allows
│   ├── RedisAbsent        there was no connection
│   ├── RedisRefused       Redis answered with an error; `.code` says which
│   ├── BreakerOpen        Redis failed too often; nothing is tried until the cool-down is over
│   ├── TimedOut           `timeout` was over before its turn came
│   └── Closed             the producer was closed first
└── Unknown              no answer came: it may have been sent; `.id` says which message
```
"""

from __future__ import annotations

from typing import ClassVar

from penstock.message.unreadable import Misfit, Reason


class SendError(Exception):
    """A send that did not end well."""

    outcome: ClassVar[str]
    """What the metric `penstock_sent_total` calls it."""


class NotSent(SendError):  # noqa: N818 - a family of outcomes, each with a name of its own
    """It is certain that nothing was sent: sending it again makes no duplicate."""


class Misdescribed(NotSent):
    """The message is not what the spec says. Redis was not asked."""

    outcome = "invalid"

    def __init__(self, reason: Reason, says: str) -> None:
        """A word for programs, a sentence for people. Neither quotes the message."""
        super().__init__(reason, says)
        self.reason: Reason = reason
        self.says = says

    def __str__(self) -> str:
        """The sentence."""
        return self.says


class TooLarge(Misdescribed):
    """Its body has more bytes than `message.max_size`."""


class NotAsDescribed(Misdescribed):
    """It is no JSON, does not fit its schema, or lacks a field that the spec names."""


def misdescribed(misfit: Misfit) -> Misdescribed:
    """What a sender is told of what no worker could read."""
    kind = TooLarge if misfit.reason == "too-large" else NotAsDescribed
    return kind(misfit.reason, misfit.says)


class BacklogFull(NotSent):
    """As much waits as `stream.backlog.limit` allows."""

    outcome = "rejected"


class RedisAbsent(NotSent):
    """There was no connection."""

    outcome = "absent"


class RedisRefused(NotSent):
    """Redis answered with an error."""

    outcome = "refused"

    def __init__(self, says: str, code: str) -> None:
        """The whole answer, and its first word, such as `OOM`."""
        super().__init__(says, code)
        self.code = code

    def __str__(self) -> str:
        """The answer."""
        return str(self.args[0])


class BreakerOpen(NotSent):
    """Redis failed too often; nothing is tried until the cool-down is over."""

    outcome = "withheld"


class TimedOut(NotSent):
    """`timeout` was over before its turn came."""

    outcome = "withheld"


class Closed(NotSent):
    """The producer was closed first."""

    outcome = "withheld"


def closed() -> Closed:
    """What is told of a message that comes too late."""
    return Closed("the producer is closed")


class Unknown(SendError):  # noqa: N818 - as above
    """No answer came: it may have been sent, and sending it again may send it twice.

    `send` raises it; `send_many` has it among the outcomes.
    """

    outcome = "unknown"

    def __init__(self, says: str, id: str) -> None:  # noqa: A002 - the message's id, as the outcomes call it
        """What happened, and which message it happened to."""
        super().__init__(says, id)
        self.id = id

    def __str__(self) -> str:
        """Both."""
        return f"{self.args[0]}; message {self.id} may have been sent"
