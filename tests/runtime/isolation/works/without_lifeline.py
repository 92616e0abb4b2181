"""A system that kills nobody on behalf of another."""

from __future__ import annotations

import importlib
from collections.abc import Mapping

from penstock.isolation import JSON, ChildProgram, lifeline


def make(config: Mapping[str, JSON]) -> ChildProgram:
    """Take the lifeline from children, which are born later."""
    vars(lifeline)["hold"] = lambda _: None
    program: ChildProgram = importlib.import_module("doing").make(config)
    return program
