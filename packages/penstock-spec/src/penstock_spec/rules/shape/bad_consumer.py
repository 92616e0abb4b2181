"""A consumer name cannot be used.

A consumer is one life of one worker: the name from the spec, then a random part. `{hostname}` is the only
placeholder, and in a pod it is the pod's name. Names that start with `~` belong to the consumers that hold parked,
ready and suspect messages.

Write something like `media-worker-{hostname}`, without spaces. Two pods with one name do no harm, because the random
part differs, but `{hostname}` tells you in Redis which pod holds a message.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
