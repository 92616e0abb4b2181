"""What a handler may raise to say itself what is to become of its message."""

from __future__ import annotations

import math

from penstock_spec.values.quantities import Duration


class Retry(Exception):  # noqa: N818 - it reads as what is asked: `raise penstock.Retry(after="30s")`
    """This attempt has failed; the next one comes after the time that is named here.

    It counts as an attempt, and after the last one the message is dead as ever. Without `after` the wait is that of the
    failure's class.
    """

    __module__ = "penstock"  # where it is imported from; so it is told, and matched
    wait_ms: int | None = None
    """Of the class, too: a class of a team's own may forget to call this one's `__init__`."""

    def __init__(self, *, after: float | str | None = None, reason: str = "") -> None:
        """Seconds, or a duration as a spec has it, such as `30s`."""
        super().__init__(reason)
        self.wait_ms = None if after is None else _milliseconds(after)


class Bury(Exception):  # noqa: N818 - as above: `raise penstock.Bury("the pet has died")`
    """No attempt will do: the message goes to the dead letters now."""

    __module__ = "penstock"  # as above

    def __init__(self, reason: str = "") -> None:
        """The reason stands in the dead letter."""
        super().__init__(reason)


def _milliseconds(after: float | str) -> int:
    if isinstance(after, str):
        try:
            return Duration(after).amount
        except ValueError as error:
            raise ValueError(f"`after` of a retry: {'; '.join(map(str, error.args))}") from None
    if not math.isfinite(after) or not 0 <= after * 1000 <= Duration.LONGEST:
        raise ValueError("`after` of a retry is a number of seconds from 0 to ten years")
    return round(after * 1000)
