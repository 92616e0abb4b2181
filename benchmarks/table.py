"""What every benchmark ends with: a table for people, and one line of JSON for machines."""

from __future__ import annotations

import json


def tell(rows: list[tuple[str, str]], figures: dict[str, float]) -> None:
    """Print the table, then the figures as the last line."""
    widest = max(len(what) for what, _ in rows)
    for what, value in rows:
        print(f"{what:<{widest}}  {value:>14}")
    print(json.dumps(figures))
