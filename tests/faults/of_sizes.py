"""Large bodies."""

from __future__ import annotations

from fault_journal import append
from pipelines import KEY

from .family import Family
from .of_processes import ALL
from .storm import Storm

SIZES = (300_000, 1_000_000, 20_000_000)


def huge(storm: Storm) -> None:
    """A foreign sender adds bodies above `message.max_size`."""
    for number, size in enumerate(SIZES * 2):
        storm.pause(0.5, 1.5)
        body = f"bury-huge-{number}"
        append(storm.sent, "attempted", body)
        storm.ask("XADD", KEY, "*", "data", f'{{"id": "{body}", "takes": 0, "pad": "{"x" * size}"}}')
        append(storm.sent, "acknowledged", body)
        if number % 2:
            storm.rng.choice(storm.workers).kill()
    storm.pause(1, 3)


FAMILIES = (Family("huge", "Adds bodies of 0.3, 1 and 20 MB, above `message.max_size`, and kills workers.", ALL, huge),)
