"""Why a message cannot start in a child. The message is never the cause.

```
IsolationError
├── HandlerImportError  the handler cannot be imported
└── NoChildError        no child could be started
```
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

CLOSING = "the pool of children is closing"


class IsolationError(Exception):
    """No child can run the message."""


class HandlerImportError(IsolationError):
    """The handler cannot be imported; the text says why and where."""


class NoChildError(IsolationError):
    """No child could be started, or the pool is closing."""


@contextmanager
def os_errors_as_no_child() -> Iterator[None]:
    """Turn errors of the system, such as the limit of processes or files, into NoChildError."""
    try:
        yield
    except OSError as error:
        raise NoChildError(f"no process could be started: {error.strerror}") from error
