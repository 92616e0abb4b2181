"""`FILES`: the listing in each generated folder, with the digest of every file that was written.

It distinguishes the generator's files from others, which are never touched; files that are no longer generated,
which are removed; and files that were edited by hand from files that are out of date.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping

from penstock_generate.rendering.artifact import Artifact

NAME = "FILES"
_LINE = re.compile(r"([0-9a-f]{64})  ([^\0\n]+)")


def digest(content: bytes) -> str:
    """The SHA-256 of a file's bytes."""
    return hashlib.sha256(content).hexdigest()


def listed(folder: str, files: Mapping[str, bytes], header: str) -> Artifact:
    """The listing of a folder's files, one line each in the format of `sha256sum`."""
    lines = [f"{digest(raw)}  {path.removeprefix(f'{folder}/')}\n" for path, raw in sorted(files.items())]
    return Artifact(f"{folder}/{NAME}", header + "".join(lines), __name__)


def parse(text: str) -> Mapping[str, str]:
    """Digests by path below the folder. Comments and malformed lines are ignored."""
    digests = {}
    for line in text.splitlines():
        match = _LINE.fullmatch(line)
        if match and _inside(match[2]):
            digests[match[2]] = match[1]
    return digests


def _inside(path: str) -> bool:
    """Whether the path stays inside the folder: a forged listing must not reach other files."""
    return not path.startswith("/") and not {"", ".", ".."}.intersection(path.split("/"))
