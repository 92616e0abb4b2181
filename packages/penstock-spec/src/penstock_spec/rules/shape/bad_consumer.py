"""A consumer name is not valid.

The name of a worker's consumer is the name from the spec plus a random part. `{hostname}` is the only placeholder; in
a pod it is the pod's name. Names that start with `~` are reserved for the consumers that hold parked, ready and
suspect messages.

Write a name without spaces, such as `media-worker-{hostname}`. Two pods may share a name, because the random part
differs, but `{hostname}` shows in Redis which pod holds a message.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
