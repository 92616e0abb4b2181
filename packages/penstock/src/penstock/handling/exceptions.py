"""Exceptions by which a handler decides the next step of its message."""

from __future__ import annotations

import math

from penstock_spec.values.quantities import Duration


class Retry(Exception):  # noqa: N818 - it reads as a request: `raise penstock.Retry(after="30s")`
    """Fail this attempt, and choose the wait before the next one.

    It counts as an attempt; after the last one the message is dead as usual. Without `after` the failure class decides
    the wait.
    """

    __module__ = "penstock"  # where users import it from; logs and `match` use this name
    wait_ms: int | None = None
    """Also set on the class, because a team's subclass may not call `__init__` of this one."""

    def __init__(self, *, after: float | str | None = None, reason: str = "") -> None:
        """`after` is a number of seconds, or a duration as in a spec, such as `30s`."""
        super().__init__(reason)
        self.wait_ms = None if after is None else _milliseconds(after)


class Bury(Exception):  # noqa: N818 - as above: `raise penstock.Bury("the pet has died")`
    """Make the message a dead letter now, because no further attempt would help."""

    __module__ = "penstock"  # as above

    def __init__(self, reason: str = "") -> None:
        """The dead letter carries the reason."""
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
