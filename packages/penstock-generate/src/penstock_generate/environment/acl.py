"""`acl.txt`: what pods of one spec may do in Redis for the sake of another; here of schedulers that send to pipelines.

The lines add to what the spec's own `acl.txt` gives them.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_generate.inputs.plan import PlannedEnvironment
from penstock_generate.rendering.artifact import Artifact


def emit(it: PlannedEnvironment) -> Iterator[Artifact]:
    """The file; none where nobody sends."""
    producers = {one.name: one.producer for one in it.members if one.producer}
    lines = [
        f"ACL SETUSER {one.name}-{one.role} {producers[name]}\n"
        for one in it.members
        for name in one.sends_to
        if name in producers
    ]
    if lines:
        yield Artifact(f"{it.folder}/acl.txt", "".join(lines), __name__)
