"""Write files atomically: after an interruption the file has its old or its new content."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def write(path: Path, content: bytes, mode: int | None = None) -> None:
    """Write a file; raises `OSError`. Without `mode` only its owner can access it."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            if mode is not None:
                os.fchmod(file.fileno(), mode)
        os.replace(temporary, path)  # noqa: PTH105 - the same, without a second Path
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
