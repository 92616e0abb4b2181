"""Scripts that end half-way: before each of their calls of Redis in turn, at its first time and then now and then.

The change is made from the text, so it covers every script and every call, also those of a new script. Redis does not
roll back a script that fails. `python -m half_way_scripts worker ...` runs `penstock` with such scripts. The hash
`COUNTS` counts the executions of each call, under the name of the script and the number of the call in its text.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

from penstock import scripts
from penstock.scripts import FOLDER, Script

COUNTS = "{trial}:half-way"
FIRST, EVERY = 1, 97
"""A call ends its script the first time, and then each 97th time after."""
ENDED = "ended half-way"
CALL = re.compile(rb"\bredis\.(p?)call\(")
HEAD = f"""\
local function is_end(site)
  local times = redis.call('HINCRBY', '{COUNTS}', site, 1)
  return times % {EVERY} == {FIRST}
end
local function half_way_call(site, ...)
  if is_end(site) then error('{ENDED}') end
  return redis.call(...)
end
local function half_way_pcall(site, ...)
  if is_end(site) then return {{err = 'ERR {ENDED}'}} end
  return redis.pcall(...)
end
""".encode()


def ending(one: Script) -> Script:
    """The script with an end before each call."""
    number = 0

    def replaced(match: re.Match[bytes]) -> bytes:
        nonlocal number
        number += 1
        return b"half_way_%bcall('%b:%d', " % (match[1], one.name.encode(), number)

    lines = one.text.splitlines(keepends=True)
    text = HEAD + b"".join(line if line.startswith(b"--") else CALL.sub(replaced, line) for line in lines)
    return Script(one.name, text, hashlib.sha1(text, usedforsecurity=False).hexdigest())


def calls() -> set[str]:
    """The names of all calls in all scripts of pipelines."""
    texts = {path.stem: ending(scripts.script(path.stem)).text for path in FOLDER.glob("*.lua")}
    return {site.decode() for text in texts.values() for site in re.findall(rb"half_way_p?call\('([^']+)'", text)}


def changed(usual: Callable[..., Script]) -> Callable[..., Script]:
    """A function like `scripts.script` whose scripts end half-way."""

    @cache
    def script(name: str, folder: Path = FOLDER) -> Script:
        return ending(usual(name, folder))

    return script


if __name__ == "__main__":
    vars(scripts)["script"] = changed(scripts.script)
    from penstock.entry import main

    main()
