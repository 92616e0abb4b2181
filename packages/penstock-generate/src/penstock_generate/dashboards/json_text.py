"""JSON as text: readable in diffs, or compact for a ConfigMap."""

from __future__ import annotations

from typing import Any

import orjson


def pretty(data: Any) -> str:  # noqa: ANN401 - whatever JSON holds
    """One value a line."""
    return orjson.dumps(data, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE).decode()


def compact(data: Any) -> str:  # noqa: ANN401 - as above
    """On one line: `kubectl apply` copies an object into an annotation, which is limited to 256 KiB."""
    return orjson.dumps(data).decode()
