"""Runs `penstock` with a bug of `tests/simulation/planted.py`, whose description is in the variable `PLANTED`."""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from penstock import scripts
from penstock.scripts import FOLDER, Script

if __name__ == "__main__":
    usual = scripts.script
    patches: dict[str, Callable[[bytes], bytes]] = {}

    def script(name: str, folder: Path = FOLDER) -> Script:
        """The script with the bug."""
        one = usual(name, folder)
        if name not in patches:
            return one
        text = patches[name](one.text)
        return Script(name, text, hashlib.sha1(text, usedforsecurity=False).hexdigest())

    vars(scripts)["script"] = script  # before any module of the runtime imports it
    sys.path.insert(0, str(Path(__file__).parents[2]))
    from tests.simulation.planted import BUGS

    from penstock.entry import main

    [bug] = [one for one in BUGS if one.what == os.environ["PLANTED"]]
    given: Mapping[str, Callable[[bytes], bytes]] = bug.scripts
    patches.update(given)
    with bug.planted():
        main()
