"""The output of every benchmark: a table for people, and one line of JSON for machines."""

from __future__ import annotations

import json


def report(rows: list[tuple[str, str]], figures: dict[str, float]) -> None:
    """Print the table, and the figures as the last line."""
    widest = max(len(label) for label, _ in rows)
    for label, value in rows:
        print(f"{label:<{widest}}  {value:>14}")
    print(json.dumps(figures))
