"""The reference page of the command: the help of every verb."""

from __future__ import annotations

from collections.abc import Mapping

OPENING = """\
# Commands

The output of `penstock --help` and of the help of each command. Findings and data go to stdout, everything else to
stderr.

| exit code | meaning |
|---|---|
| 0 | success |
| 1 | findings, nothing found, or a part failed; the help of a command says which |
| 2 | an error stopped the command, or nothing could be done: wrong options, an unreadable file, Redis unreachable |
| 70 | a pod's event loop was blocked for too long, or a part of it failed; Kubernetes restarts it |
| 130 | stopped by Ctrl-C |
| 128 + n | a pod ended at once, by a second signal `n` |
"""


def page(helps: Mapping[str, str]) -> str:
    """The page, from the help by command, such as `penstock lint`."""
    return "\n".join([OPENING, *(f"## {words}\n\n```text\n{text.rstrip()}\n```\n" for words, text in helps.items())])
