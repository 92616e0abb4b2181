"""Errors of a call to Redis.

```
RedisTrouble
├── Absent       no connection: nothing was sent
├── Unanswered   sent without an answer: it may have happened
│   └── Oversized   its answer has more bytes than the reader allows
└── Refused      Redis answered with an error
```
"""

from __future__ import annotations

import os
import re
import ssl
from collections.abc import Sequence
from typing import ClassVar, Literal, TypeAlias

Reply: TypeAlias = "bytes | int | list[Reply] | None"
"""An answer in RESP2: bytes, integers, None, and lists of these."""

# The prefix of an error inside a script in Redis 6.2, and of an error of Lua itself in 7 and later:
#   ERR Error running script (call to f_<sha>): @user_script:1: @user_script: 1: -OOM command not allowed ...
#   ERR user_script:1: OOM ...
_WRAPPING = re.compile(r"ERR (?:Error running script \(call to f_[0-9a-f]+\): )?(?:@?user_script: ?\d+: )+")
_NUMBER = re.compile(r"\[Errno (\d+)\]")
_CODE = re.compile(r"-?([A-Z][A-Z0-9_]+)(?: |$)")
# For a missing right inside a script, Redis has other texts, without a code.
_NO_PERMISSION = re.compile(r"ACL failure in script|The user executing the script can't")


def _code(says: str) -> str:
    wrapping = _WRAPPING.match(says)
    if match := _CODE.match(says, wrapping.end() if wrapping else 0):
        return "NOPERM" if match[1] == "ERR" and _NO_PERMISSION.match(says, match.end()) else match[1]
    return "NOPERM" if wrapping and _NO_PERMISSION.match(says, wrapping.end()) else "ERR"


class RedisTrouble(Exception):  # noqa: N818 - the base of several results, whose names say what happened
    """A call to Redis failed."""

    kind: ClassVar[Literal["absent", "unanswered", "refused"]]
    """The label of the metric `penstock_redis_errors_total`."""


class Absent(RedisTrouble):
    """There was no connection: nothing was sent."""

    kind = "absent"


class Unanswered(RedisTrouble):
    """The command was sent, but not answered: it may have run."""

    kind = "unanswered"

    def __init__(self, says: str, answers: Sequence[Reply | Refused] = ()) -> None:
        """`answers` are those that arrived, if several commands were sent together."""
        super().__init__(says)
        self.answers = list(answers)
        """Answers to the first commands, in order; later commands may have run."""


class Oversized(Unanswered):
    """The answer has more bytes than the reader allows: the command has happened, and its answer was dropped."""


class Refused(RedisTrouble):
    """Redis answered with an error. A script may have done a part of its work."""

    kind = "refused"

    def __init__(self, says: str) -> None:
        """Keep the complete answer."""
        super().__init__(says)
        self.code = _code(says)
        """Its first word, such as `OOM`; inside a script, that of the inner error."""


def reason(error: BaseException) -> str:
    """Return why there is no connection, without the address that asyncio repeats."""
    if not isinstance(error, OSError) or isinstance(error, ssl.SSLError):
        return str(error)
    if error.errno is None:  # asyncio joins the errors of all addresses of a name
        texts = {os.strerror(int(number)) for number in _NUMBER.findall(str(error))}
        return ", ".join(sorted(texts)) or str(error) or type(error).__name__
    return os.strerror(error.errno) if error.errno > 0 else error.strerror or str(error)
