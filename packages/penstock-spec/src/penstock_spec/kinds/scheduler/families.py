"""What can be wrong with a scheduler."""

from __future__ import annotations

from penstock_spec.kinds.family import Family

FAMILIES: tuple[Family, ...] = ()
