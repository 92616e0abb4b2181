"""A handler: a function that gets a message and a context."""

from typing import Any


async def greet(message: dict[str, Any], context: Any) -> None:
    """Say hello. A handler that returns has done its message; one that raises will get it again."""
    del context  # attempt, deadline, logger and fencing token
    print(f"hello, {message['name']}")
