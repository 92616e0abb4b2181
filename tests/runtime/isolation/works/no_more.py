"""A system with as many processes as it can have."""

from __future__ import annotations

import errno
import importlib
import os
from collections.abc import Mapping
from typing import NoReturn

from penstock.isolation import JSON, ChildProgram


def refuse() -> NoReturn:
    """Say what the system says."""
    raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))


def make(config: Mapping[str, JSON]) -> ChildProgram:
    """From now on there are no forks."""
    vars(os)["fork"] = refuse
    program: ChildProgram = importlib.import_module("doing").make(config)
    return program
