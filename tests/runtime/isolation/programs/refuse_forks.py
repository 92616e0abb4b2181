"""A handler module after which the system refuses new processes."""

from __future__ import annotations

import errno
import importlib
import os
from collections.abc import Mapping
from typing import NoReturn

from penstock.isolation import JSON, ChildProgram


def refuse() -> NoReturn:
    """Fail as the system does."""
    raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))


def make(config: Mapping[str, JSON]) -> ChildProgram:
    """Refuse every fork from now on."""
    vars(os)["fork"] = refuse
    program: ChildProgram = importlib.import_module("actions").make(config)
    return program
