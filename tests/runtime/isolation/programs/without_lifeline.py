"""A handler module that simulates a system without lifelines."""

from __future__ import annotations

import importlib
from collections.abc import Mapping

from penstock.isolation import JSON, ChildProgram, lifeline


def make(config: Mapping[str, JSON]) -> ChildProgram:
    """Take the lifeline from children, which start later."""
    vars(lifeline)["hold"] = lambda _: None
    program: ChildProgram = importlib.import_module("actions").make(config)
    return program
