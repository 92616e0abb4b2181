"""A password is written in a spec or the platform file.

Specs and the platform file are committed, reviewed and shown in CI. A password in them is known to everyone who can
read the repository, for as long as its history exists.

Remove the password, and change it in Redis, because it stays in the history. Put the new one into a Kubernetes secret
in the environment's namespace and name that secret in the platform file: `redis: {auth: {secret: redis-auth}}`.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
