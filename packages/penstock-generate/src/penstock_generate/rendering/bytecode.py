"""A cache of compiled templates, so that a run over one spec does not compile all built-in templates.

It is kept in `__pycache__` if that is writable, and is valid only for the same source and tools. A repository's own
templates are compiled in each run.
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
"""Readable by all users, like Python's own cache."""


class TemplateCache(jinja2.BytecodeCache):
    """The cache of the templates that are installed with the package."""

    def __init__(self, folder: Path, *compilers: Path) -> None:
        """`compilers` are the modules that affect how a template is compiled."""
        self._folder = folder
        stats = ((file.name, file.stat().st_size, file.stat().st_mtime_ns) for file in compilers)
        self._stamp = f"{jinja2.__version__} {sys.version} {[*stats]}"

    def get_cache_key(self, name: str, filename: str | None = None) -> str:
        """The cache file; empty for templates from elsewhere."""
        if filename is None or not Path(filename).is_relative_to(self._folder):
            return ""
        there = self._folder.parent / f"templates.{name.replace('/', '.')}"
        return os.path.splitext(cache_from_source(there))[0] + ENDING  # noqa: PTH122 - of a text

    def get_source_checksum(self, source: str) -> str:
        """A digest of the source and the tools."""
        return hashlib.blake2b(f"{self._stamp}\0{source}".encode(), digest_size=16).hexdigest()

    def load_bytecode(self, bucket: Bucket) -> None:
        """Load it, if it is there and valid."""
        # A damaged file counts as missing.
        with contextlib.suppress(Exception), open(bucket.key, "rb") as file:  # noqa: PTH123 - the key is a text
            bucket.load_bytecode(file)

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Write it atomically; a failing disk only costs speed."""
        if not bucket.key or sys.dont_write_bytecode:
            return
        with contextlib.suppress(OSError):
            Path(bucket.key).parent.mkdir(parents=True, exist_ok=True)
            atomic.write(Path(bucket.key), bucket.bytecode_to_string(), READABLE)
