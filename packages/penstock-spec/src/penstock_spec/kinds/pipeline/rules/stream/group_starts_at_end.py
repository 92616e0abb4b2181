"""A consumer group that starts at `$` skips existing messages.

A group created at `$`, the end of the stream, never reads messages that were sent earlier. On the first day these are
all messages sent before the first worker started; after a restore or an `XGROUP DESTROY` it is the whole backlog.
There is no error.

Remove the field: Penstock creates every group at the beginning of the stream, before the first read, and this cannot
be changed. To skip old messages, delete them from the stream or use a new stream key.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
