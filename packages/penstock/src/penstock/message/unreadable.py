"""Errors of a message: a reason in one word, and a sentence that does not quote the content.

```
MessageProblem
├── Unreadable   came from the stream; no attempt could read it, so it becomes a dead letter
└── Unsendable   came from a producer; nothing was sent
```

Sentences contain positions, field names of the schema, and types. A sender's text may be secret, and these
sentences are logged and stored.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

Reason: TypeAlias = Literal[
    "too-large", "not-utf-8", "not-json", "no-body", "schema", "version", "newer-version", "type", "reserved"
]
"""`reserved`: a field name that only Penstock may use; only for sends. `newer-version`: a newer Penstock reads it."""


class MessageProblem(Exception):  # noqa: N818 - a problem of a message, not of the program
    """A message that breaks the spec."""

    def __init__(self, reason: Reason, says: str) -> None:
        """`reason` is for metrics and filters, `says` for people."""
        super().__init__(reason, says)
        self.reason: Reason = reason
        self.says = says

    def __str__(self) -> str:
        """Both."""
        return f"{self.reason}: {self.says}"


class Unreadable(MessageProblem):
    """A message in the stream that no attempt can read, so it becomes a dead letter."""


class Unsendable(MessageProblem):
    """A message that was not sent, because no worker could read it."""
