"""What Grafana knows a dashboard by."""

from __future__ import annotations

import hashlib

LONGEST = 40
"""Characters that Grafana takes."""
PLACES = 8


def uid(environment: str, name: str) -> str:
    """Of what has this name in an environment: the same for ever, and in links elsewhere too."""
    said = f"{environment}-{name}"
    # Two names may make one text (`a-b`, `c` and `a`, `b-c`), and long ones do not fit: what they are told apart by
    # is a digest, in every uid, so that nobody has to know which of them have one.
    told = hashlib.sha256(f"{environment}/{name}".encode()).hexdigest()[:PLACES]
    return f"{said[: LONGEST - PLACES - 1].rstrip('-')}-{told}"
