"""The reference page of the command: the help of every verb."""

from __future__ import annotations

from collections.abc import Mapping

OPENING = """\
# Commands

The output of `penstock --help` and of the help of each command. Findings and data go to stdout, everything else to
stderr. The exit code is 0 for success, 1 for findings, and 2 for an error that stopped the command.
"""


def page(helps: Mapping[str, str]) -> str:
    """The page, from the help by command, such as `penstock lint`."""
    return "\n".join([OPENING, *(f"## {words}\n\n```text\n{text.rstrip()}\n```\n" for words, text in helps.items())])
