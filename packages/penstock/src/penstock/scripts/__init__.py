"""Loads the Lua scripts. Each is a file whose header describes keys, arguments and reply.

A line `-- with  now, fence` in a header puts `shared/now.lua` and `shared/fence.lua` before the script. The scripts
here are those of pipelines. Other kinds have their own folder of scripts, whose `shared` folder takes precedence.
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
    """A script and its SHA1 in Redis."""

    name: str
    text: bytes
    sha: str


@cache
def script(name: str, folder: Path = FOLDER) -> Script:
    """Read `<name>.lua` with its shared parts, once."""
    own = (folder / f"{name}.lua").read_bytes()
    named = WITH.search(own)
    shared = [part.strip().decode() for part in named[1].split(b",")] if named else []
    text = b"".join([*(_shared(one, folder).read_bytes() for one in shared), own])
    return Script(name, text, hashlib.sha1(text, usedforsecurity=False).hexdigest())


def _shared(name: str, folder: Path) -> Path:
    own = folder / "shared" / f"{name}.lua"
    return own if own.exists() else FOLDER / "shared" / f"{name}.lua"
