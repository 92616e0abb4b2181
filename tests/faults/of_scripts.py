"""Scripts that end before any of their calls of Redis, and what is left then."""

from __future__ import annotations

from collections import Counter

import half_way_scripts

from penstock.producer import send_script

from .account import Facts
from .family import Family
from .of_operators import consumers, group, side_keys
from .of_processes import ALL, kill
from .storm import Storm
from .supervised import Around


def around(storm: Storm, role: str, number: int) -> Around:
    """All processes have such scripts; senders are threads of this one."""
    del role
    if number == 0:
        names = vars(send_script)
        usual = names["script"]
        storm.ends.callback(names.__setitem__, "script", usual)
        names["script"] = half_way_scripts.changed(usual)
    return Around(module="half_way_scripts")


def half_way(storm: Storm) -> None:
    """Beside the scripts that end half-way, SIGKILLs and foreign hands, so that others must repair what is left."""
    storm.buries_twice = True
    kill(storm)
    for hands in (consumers, side_keys, group):
        hands(storm)


def check(storm: Storm, facts: Facts) -> list[str]:
    """Most calls that ran must have ended their script; the others are named."""
    del facts
    reply = storm.ask("HGETALL", half_way_scripts.COUNTS)
    assert isinstance(reply, list)
    times = {str(name): int(str(count)) for name, count in zip(reply[::2], reply[1::2], strict=True)}
    ended = {name for name, count in times.items() if count >= half_way_scripts.FIRST}
    missed = Counter(name.partition(":")[0] for name in half_way_scripts.calls() - ended)
    some = ", ".join(f"{name} {count}" for name, count in sorted(missed.items()))
    storm.notes.append(f"{len(ended)} calls of {len(ended) + missed.total()} ended their script; not reached: {some}")
    return [] if len(ended) > 100 else [f"only {len(ended)} calls ended their script"]


FAMILIES = (
    Family(
        "half-way",
        "Ends each script before each of its calls of Redis in turn, again and again; kills and deletes besides.",
        f"{ALL}; a dead letter may be written twice",
        half_way,
        seconds=20.0,
        drains=(0, 1),
        around=around,
        checks=check,
    ),
)
