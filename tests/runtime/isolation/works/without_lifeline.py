"""A system that kills nobody on behalf of another."""

from __future__ import annotations

import importlib
from collections.abc import Mapping

from penstock.isolation import JSON, Work, lifeline


def make(config: Mapping[str, JSON]) -> Work:
    """Take the lifeline from children, which are born later."""
    vars(lifeline)["hold"] = lambda _: None
    work: Work = importlib.import_module("doing").make(config)
    return work
