"""A group that starts at the end passes over what is there.

A group made at `$` never sees what was sent before it was made. On the first day that is whatever the producers sent
before the first worker came up; after a restore or an `XGROUP DESTROY` it is everything that was waiting. Nobody is
told.

Penstock makes every group at the stream's beginning, before the first read, and there is no field to say otherwise:
take it out. What must not be worked on any more is deleted from the stream, or the stream gets a new key.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
