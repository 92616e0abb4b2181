"""The scaler's Redis user lacks permission for a command.

KEDA runs a few Redis commands as this user. If Redis refuses one, the trigger fails and nothing scales. Some are
needed only at times: `llen` only while no message is parked, which is the normal state; `scard` only while another
group reads the stream.

Add the missing commands to the user's permissions in Redis and to `redis.auth.scaler_rights`. Penstock evaluates them
as Redis does, from left to right and with categories. It does not check permissions with selectors.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import Fleet
from penstock_spec.findings import Severity
from penstock_spec.reading import Problem
from penstock_spec.rules.define import fleet_rule

ALWAYS = ("ping", "eval", "type", "zcard", "llen")
BY_LENGTH = ("xlen", "scard")
BY_GROUP = ("info", "xinfo|groups", "xlen", "xpending")
CATEGORIES = {
    "all": frozenset((*ALWAYS, *BY_GROUP, *BY_LENGTH)),
    "read": frozenset(("type", "zcard", "scard", "llen", "xinfo|groups", "xlen", "xpending")),
    "set": frozenset(("scard",)),
    "stream": frozenset(("xinfo|groups", "xlen", "xpending")),
    "sortedset": frozenset(("zcard",)),
    "list": frozenset(("llen",)),
    "keyspace": frozenset(("type",)),
    "scripting": frozenset(("eval",)),
    "connection": frozenset(("ping",)),
    "slow": frozenset(("eval", "info", "xinfo|groups", "xpending")),
    "dangerous": frozenset(("info",)),
    "fast": frozenset(("ping", "type", "zcard", "scard", "llen", "xlen")),
}


@fleet_rule(Severity.ERROR)
def rule(fleet: Fleet) -> Iterator[Problem]:
    auth = fleet.platform.platform.redis.auth
    if auth is None or not auth.scaler_rights or any("(" in right for right in auth.scaler_rights):  # selectors
        return
    granted = _granted(" ".join(auth.scaler_rights).lower().split())
    needed: dict[str, str] = {}
    for one in fleet.of("pipeline"):
        done = one.values["stream.retention.keep"] == "until-done"
        for command in (*ALWAYS, *(BY_LENGTH if done else BY_GROUP)):
            needed.setdefault(command, one.file)
    missing = [command for command in needed if command not in granted]
    if missing:
        commands = ", ".join(f"`+{command}`" for command in missing)
        are, first = ("is", "it") if len(missing) == 1 else ("are", f"`+{missing[0]}`")
        message = f"{commands} {are} missing; the scaler of {needed[missing[0]]} needs {first}"
        hint = f"add {commands} to the user's permissions in Redis, and here"
        yield fleet.platform.problem("redis.auth.scaler_rights", message, hint)


def _granted(rights: list[str]) -> set[str]:
    """The needed commands that these rules permit, evaluated from left to right as Redis does."""
    granted: set[str] = set()
    for right in rights:
        sign, name = right[:1], right[1:]
        if right in ("allcommands", "nocommands"):
            sign, name = ("+" if right == "allcommands" else "-"), "@all"
        named = CATEGORIES.get(name[1:], frozenset()) if name.startswith("@") else _commands(name)
        granted = granted | named if sign == "+" else granted - named if sign == "-" else granted
    return granted


def _commands(name: str) -> frozenset[str]:
    """A needed command with its needed subcommands, or one needed subcommand; empty for any other."""
    with_subcommands = frozenset(one for one in CATEGORIES["all"] if one.partition("|")[0] == name)
    return with_subcommands or frozenset((name,)) & CATEGORIES["all"]
