"""Which files of a folder are the generator's: `FILES` in it names each, with the digest of what was written.

So files that somebody else puts there are never touched, files that are nobody's any more can be removed, and a file
that was changed by hand can be told from one that is out of date.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping

from penstock_generate.artifact import Artifact

NAME = "FILES"
_LINE = re.compile(r"([0-9a-f]{64})  ([^\0\n]+)")


def digest(content: bytes) -> str:
    """Of a file's bytes."""
    return hashlib.sha256(content).hexdigest()


def listed(folder: str, files: Mapping[str, bytes], header: str) -> Artifact:
    """The listing of a folder's files, a line each as `sha256sum` writes it."""
    lines = [f"{digest(raw)}  {path.removeprefix(f'{folder}/')}\n" for path, raw in sorted(files.items())]
    return Artifact(f"{folder}/{NAME}", header + "".join(lines), __name__)


def parse(text: str) -> Mapping[str, str]:
    """Paths below the folder and digests. What looks like neither a line nor a comment names nothing."""
    found = {}
    for line in text.splitlines():
        match = _LINE.fullmatch(line)
        if match and _inside(match[2]):
            found[match[2]] = match[1]
    return found


def _inside(path: str) -> bool:
    """A listing that somebody wrote must not reach files elsewhere."""
    return not path.startswith("/") and not {"", ".", ".."}.intersection(path.split("/"))
