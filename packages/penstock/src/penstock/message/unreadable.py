"""What is wrong with a message: one reason in a word, and a sentence that tells nothing of its content.

```
Misfit
├── Unreadable   what came from the stream: no attempt would read it, so it is buried as it is
└── Unsendable   what was handed to a producer: nothing was sent
```

Sentences name positions, fields that the schema knows, and types. What a sender wrote may be secret, and these
sentences are logged and kept.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

Reason: TypeAlias = Literal["too-large", "not-utf-8", "not-json", "no-body", "schema", "version", "type", "reserved"]
"""`reserved` is a name that only Penstock gives to a field; it stops sends alone."""


class Misfit(Exception):  # noqa: N818 - a verdict about a message, and no error of the program
    """A message that is not what the spec says."""

    def __init__(self, reason: Reason, says: str) -> None:
        """The word is for metrics and filters, the sentence for people."""
        super().__init__(reason, says)
        self.reason: Reason = reason
        self.says = says

    def __str__(self) -> str:
        """Both."""
        return f"{self.reason}: {self.says}"


class Unreadable(Misfit):
    """It cannot be given to a handler, however often it is delivered."""


class Unsendable(Misfit):
    """It was not sent, because no worker could read it."""
