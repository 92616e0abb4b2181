"""The uid of a dashboard in Grafana."""

from __future__ import annotations

import hashlib

LONGEST = 40
"""Grafana's limit, in characters."""
DIGITS = 8
"""Of the digest."""


def uid(environment: str, name: str) -> str:
    """The uid for a name in an environment: it never changes, because links elsewhere contain it."""
    readable = f"{environment}-{name}"
    # Two pairs may give one text (`a-b`, `c` and `a`, `b-c`), and long ones are cut: a digest distinguishes them.
    # Every uid has one, so there is no special case.
    digest = hashlib.sha256(f"{environment}/{name}".encode()).hexdigest()[:DIGITS]
    return f"{readable[: LONGEST - DIGITS - 1].rstrip('-')}-{digest}"
