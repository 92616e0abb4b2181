"""Bugs planted in the classes of the runtime, which the simulation must find."""

from __future__ import annotations

from penstock.worker.attempts import Attempts

from .omissions import Omission

IN_CLASSES = (
    Omission(
        "a message is acknowledged before its handler starts",
        "settled-unfinished",
        "poison",
        edits=(
            (
                Attempts,
                "_start",
                "        now = self._monotonic()\n".lstrip(),
                "now = self._monotonic()\n    self._settler.settle(delivery)\n",
            ),
        ),
    ),
    Omission(
        "a message that timed out is acknowledged",
        "settled-unfinished",
        "poison",
        edits=((Attempts, "_timed_out", 'self._work.on_timeout == "finish"', "True"),),
    ),
    Omission(
        "a message that failed is acknowledged",
        "settled-unfinished",
        "poison",
        edits=(
            (
                Attempts,
                "_retry_or_bury",
                "    delivery = attempt.delivery\n",
                "    return self._settler.settle(attempt.delivery)\n    delivery = attempt.delivery\n",
            ),
        ),
    ),
)
