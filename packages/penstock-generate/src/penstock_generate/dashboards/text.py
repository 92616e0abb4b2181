"""A dashboard as text: for people and their diffs, and in few bytes for a ConfigMap."""

from __future__ import annotations

from typing import Any

import orjson


def pretty(data: Any) -> str:  # noqa: ANN401 - whatever JSON holds
    """A line for each value."""
    return orjson.dumps(data, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE).decode()


def compact(data: Any) -> str:  # noqa: ANN401 - as above
    """On one line: `kubectl apply` repeats an object in an annotation, which has room for 256 KiB."""
    return orjson.dumps(data).decode()
