"""The page of the command: the help of every verb, as it prints it."""

from __future__ import annotations

from collections.abc import Mapping

OPENING = """\
# The command

What `penstock --help` and the help of each verb print. Findings and data go to stdout, all else to stderr. The command
ends with 0 when nothing is wrong, with 1 when something was found, and with 2 when it could not do what it was asked.
"""


def page(helps: Mapping[str, str]) -> str:
    """From the words of a command, such as `penstock lint`, to its help."""
    return "\n".join([OPENING, *(f"## {words}\n\n```text\n{text.rstrip()}\n```\n" for words, text in helps.items())])
