"""What keeps a message from being begun. None of it is the message's fault.

```
IsolationError
├── HandlerImportError  the handler cannot be imported
└── NoChildError        no child could be started
```
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

UNWANTED = "no children are wanted any more"


class IsolationError(Exception):
    """There is no child to run a message in."""


class HandlerImportError(IsolationError):
    """The handler cannot be imported; the text says why, and where."""


class NoChildError(IsolationError):
    """No child could be started, or none is wanted any more."""


@contextmanager
def os_errors_as_no_child() -> Iterator[None]:
    """Tell what the system refuses, such as one process or file more."""
    try:
        yield
    except OSError as error:
        raise NoChildError(f"no process could be started: {error.strerror}") from error
