"""Read a text with both parsers."""

from collections.abc import Callable

import pytest

from penstock_spec.reading.compose import by_fast, by_reference
from penstock_spec.reading.source import decode

Differences = Callable[[str], list[str]]


@pytest.fixture(scope="session")
def differences() -> Differences:
    """Returns the differences between the parsers; empty if the fast parser does not accept a text."""

    def differences(text: str) -> list[str]:
        decoded = decode("it.yaml", text.encode())
        fast = by_fast(decoded) if decoded.text else None
        if fast is None:
            return []
        reference = by_reference(decoded)
        return [
            f"{name}: {one!r} is not {other!r}"
            for name, one, other in (
                ("data", _typed(fast.data), _typed(reference.data)),
                ("problems", fast.problems, reference.problems),
                ("places", fast.places, reference.places),
            )
            if one != other
        ]

    return differences


def _typed(value: object) -> object:
    """Values with their types, so that `1`, `1.0` and `true` differ, and NaN equals itself."""
    if isinstance(value, dict):
        return [(key, _typed(one)) for key, one in value.items()]
    if isinstance(value, list):
        return ["list", *map(_typed, value)]
    return (type(value).__name__, str(value))
