"""A Redis key or group name is not valid.

Penstock keeps side keys beside the stream (for parked, delayed and deduplicated messages), and on a cluster all of
them must be in the stream's slot. If `stream.key` has no braces, side keys are named `{key}:...`; if it has exactly
one hash tag, as in `jobs:{media}`, they keep that tag. Any other braces would put them into different slots, where no
script can use them together.

A group becomes part of keys, so it must not contain braces. Names with `~` are reserved. Spaces are not allowed,
because Redis tools treat a space as the end of the name.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
