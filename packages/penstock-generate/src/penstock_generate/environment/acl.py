"""`acl.txt` of an environment: the rights of a scheduler's pods on the pipelines that it sends to.

Its lines add to the scheduler's own `acl.txt`.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_generate.inputs.plan import PlannedEnvironment
from penstock_generate.rendering.artifact import Artifact


def emit(it: PlannedEnvironment) -> Iterator[Artifact]:
    """The file; none if no scheduler sends."""
    producers = {one.name: one.producer for one in it.members if one.producer}
    lines = [
        f"ACL SETUSER {one.name}-{one.role} {producers[name]}\n"
        for one in it.members
        for name in one.sends_to
        if name in producers
    ]
    if lines:
        yield Artifact(f"{it.folder}/acl.txt", "".join(lines), __name__)
