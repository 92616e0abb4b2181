"""`acl.txt`: the Redis users of a spec and their rights.

Each line is a command, not a line of an `aclfile`: an `aclfile` replaces all users with their passwords, and allows no
comments. A command keeps the password; a new user has none and is off.

The janitor and operators have rights on other specs too, so their lines add rights. So do the lines of a scheduler that
sends to pipelines; the environment's own file has the rest. All files of an environment, in any order, give what
`penstock acl` prints for it.
"""

from __future__ import annotations

from penstock_generate.inputs.plan import PlannedSpec
from penstock_generate.rendering.artifact import Artifact
from penstock_spec.rights.users import ENVIRONMENT_ROLES, needed_specs, users


def acl(it: PlannedSpec) -> Artifact:
    """The file; feed it to `redis-cli` on standard input."""
    others = needed_specs(it)
    lines = (user.adding if others or user.role in ENVIRONMENT_ROLES else user.line for user in users((it,), ""))
    return Artifact(f"{it.folder}/acl.txt", "".join(f"{line}\n" for line in lines), __name__)
