"""`acl.txt`: the users in Redis that talk to it for this spec, and their rights.

Each line is a command, and no line of an `aclfile`: loading one of those replaces every user there is, their passwords
too, and it takes no comments. A command leaves the password alone; a user that is new has none and is off.

The janitor and operators have rights on other specs as well, so their lines add to what they have; so does that of a
scheduler's pods that send to pipelines, for which the environment's own file has the rest. All files of an environment,
in any order, come to what `penstock acl` prints for it.
"""

from __future__ import annotations

from penstock_generate.inputs.plan import PlannedSpec
from penstock_generate.rendering.artifact import Artifact
from penstock_spec.rights.users import OF_AN_ENVIRONMENT, borrowed, users


def acl(it: PlannedSpec) -> Artifact:
    """The file; `redis-cli` reads it from standard input."""
    others = borrowed(it)
    lines = (user.adding if others or user.role in OF_AN_ENVIRONMENT else user.line for user in users((it,), ""))
    return Artifact(f"{it.folder}/acl.txt", "".join(f"{line}\n" for line in lines), __name__)
