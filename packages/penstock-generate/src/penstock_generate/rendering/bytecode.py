"""Our templates, compiled: kept as Python keeps its modules, so that a run over one spec does not compile them all.

They lie in `__pycache__`, where that can be written, and are used only for the very source and tools that they were
compiled from. A repository's own templates are compiled by each run.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
from importlib.util import cache_from_source
from pathlib import Path

import jinja2
from jinja2.bccache import Bucket

from penstock_spec import atomic

ENDING = ".j2c"
READABLE = 0o644
"""By all users of an installation, as modules are."""


class Compiled(jinja2.BytecodeCache):
    """Of the templates in a folder that is installed with the package."""

    def __init__(self, folder: Path, *compilers: Path) -> None:
        """`compilers` are the modules on which it hangs how a template is compiled."""
        self._folder = folder
        told = ((file.name, file.stat().st_size, file.stat().st_mtime_ns) for file in compilers)
        self._stamp = f"{jinja2.__version__} {sys.version} {[*told]}"

    def get_cache_key(self, name: str, filename: str | None = None) -> str:
        """The file that it goes into; none of a template from elsewhere."""
        if filename is None or not Path(filename).is_relative_to(self._folder):
            return ""
        there = self._folder.parent / f"templates.{name.replace('/', '.')}"
        return os.path.splitext(cache_from_source(there))[0] + ENDING  # noqa: PTH122 - of a text

    def get_source_checksum(self, source: str) -> str:
        """What it was compiled from, and by what."""
        return hashlib.blake2b(f"{self._stamp}\0{source}".encode(), digest_size=16).hexdigest()

    def load_bytecode(self, bucket: Bucket) -> None:
        """Nothing where it was never compiled, or not from this."""
        # A file that is broken, in whatever way, is as good as none.
        with contextlib.suppress(Exception), open(bucket.key, "rb") as file:  # noqa: PTH123 - the key is a text
            bucket.load_bytecode(file)

    def dump_bytecode(self, bucket: Bucket) -> None:
        """As a whole or not at all; a disk that refuses costs speed and nothing else."""
        if not bucket.key or sys.dont_write_bytecode:
            return
        with contextlib.suppress(OSError):
            Path(bucket.key).parent.mkdir(parents=True, exist_ok=True)
            atomic.write(Path(bucket.key), bucket.bytecode_to_string(), READABLE)
