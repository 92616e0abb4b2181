"""The Lua scripts, each a file of its own whose header says keys, arguments and reply.

A line `-- with  now, fence` in a header puts `shared/now.lua` and `shared/fence.lua` before the script.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent
WITH = re.compile(rb"^-- with  (.+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Script:
    """A script, and the name under which Redis keeps it."""

    name: str
    text: bytes
    sha: str


@cache
def script(name: str) -> Script:
    """`<name>.lua` of this folder with what it is written with, read once."""
    own = (FOLDER / f"{name}.lua").read_bytes()
    named = WITH.search(own)
    shared = [part.strip().decode() for part in named[1].split(b",")] if named else []
    text = b"".join([*((FOLDER / "shared" / f"{one}.lua").read_bytes() for one in shared), own])
    return Script(name, text, hashlib.sha1(text, usedforsecurity=False).hexdigest())
