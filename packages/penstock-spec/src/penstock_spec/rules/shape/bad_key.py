"""A key or a group cannot be used in Redis.

Penstock puts side keys beside the stream (parked, delayed, deduplicated messages), and on a cluster all of them must
share its slot. Without braces in `stream.key` they are named `{key}:...`; with exactly one hash tag, `jobs:{media}`,
they keep it. Any other braces would send them to other slots, where no script can reach both.

A group becomes part of keys too, so it has no braces. Names with `~` are reserved. Neither has spaces, which the
tools of Redis would take for the end of the word.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
