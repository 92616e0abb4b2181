"""A handler: a function that takes a message and a context."""

from typing import Any


async def greet(message: dict[str, Any], context: Any) -> None:
    """Print a greeting. If a handler returns, its message is done; if it raises, the message is retried."""
    del context  # attempt, deadline, logger and fencing token
    print(f"hello, {message['name']}")
