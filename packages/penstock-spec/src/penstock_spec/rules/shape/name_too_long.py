"""A name is too long for Kubernetes.

A Kubernetes label has at most 63 characters, and KEDA puts `keda-hpa-` before the name of a pipeline, which leaves 54.
The API server refuses a longer name only at deployment, and the pipeline then runs without scaling.

Shorten the name; put the rest into `owner.contact` or a comment. `stream.key` does not have to match the name and may
have 512 characters.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
