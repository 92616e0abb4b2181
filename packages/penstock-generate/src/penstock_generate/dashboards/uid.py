"""The uid of a dashboard in Grafana."""

from __future__ import annotations

import hashlib

LONGEST = 40
"""Grafana's limit, in characters."""
PLACES = 8


def uid(environment: str, name: str) -> str:
    """The uid for a name in an environment: it never changes, because links elsewhere contain it."""
    readable = f"{environment}-{name}"
    # Two pairs may give one text (`a-b`, `c` and `a`, `b-c`), and long ones are cut: a digest tells them apart.
    # Every uid has one, so there is no special case.
    digest = hashlib.sha256(f"{environment}/{name}".encode()).hexdigest()[:PLACES]
    return f"{readable[: LONGEST - PLACES - 1].rstrip('-')}-{digest}"
