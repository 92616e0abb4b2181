"""What keeps a message from being begun. None of it is the message's fault.

```
IsolationTrouble
├── BadHandler   the handler cannot be imported
└── NoChild      no child could be started
```
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

UNWANTED = "no children are wanted any more"


class IsolationTrouble(Exception):  # noqa: N818 - a family of outcomes, each with a name of its own
    """There is no child to run a message in."""


class BadHandler(IsolationTrouble):
    """The handler cannot be imported; the text says why, and where."""


class NoChild(IsolationTrouble):
    """No child could be started, or none is wanted any more."""


@contextmanager
def refusals() -> Iterator[None]:
    """Tell what the system refuses, such as one process or file more."""
    try:
        yield
    except OSError as error:
        raise NoChild(f"no process could be started: {error.strerror}") from error
