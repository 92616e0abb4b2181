"""Runs `penstock` under the memory limit of `memory_limits.py`, whose environment it reads."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path

if __name__ == "__main__":
    if group := os.environ.get("TEST_CGROUP"):
        Path(group).write_text(str(os.getpid()))
    else:
        from penstock.worker import memory, role

        files = Path(os.environ["TEST_CGROUP_FILES"])
        vars(role)["free_memory"] = partial(memory.free_memory, files, files / "membership")
    from penstock.entry import main

    main()
