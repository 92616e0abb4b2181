"""The README lists exactly the existing commands."""

import re
from pathlib import Path

from penstock.terminal.verbs import VERBS


def test_every_command_is_in_its_table(root: Path) -> None:
    """And no other."""
    [table] = re.findall(r"## The commands\n(.*?)\n## ", (root / "README.md").read_text(), re.DOTALL)
    rows = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    named = {word for row in rows for word in re.findall(r"`(?:penstock )?([a-z]+)", row)}
    assert named == set(VERBS)
