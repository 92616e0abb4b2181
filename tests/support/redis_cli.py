"""What stands in for `redis-cli` where a page calls it: tests need no system package, and there is no such host.

After `-h HOST` comes a command, or none and a command a line as input. Whatever host is named, it is the server at
PENSTOCK_TEST_REDIS that answers. Unlike the real one it ends with 1 after an error, so that a page with a command that
Redis refuses is found.
"""

from __future__ import annotations

import os
import shlex
import sys
from contextlib import closing

import hiredis
from raw_client import RawClient


def main() -> int:
    """Ask, and say what is answered."""
    flag, _, *words = sys.argv[1:]
    assert flag == "-h", sys.argv
    commands = [words] if words else [shlex.split(line, comments=True) for line in sys.stdin]
    host, _, port = os.environ["PENSTOCK_TEST_REDIS"].rpartition(":")
    with closing(RawClient(host, int(port))) as raw:
        for command in filter(None, commands):
            try:
                sys.stdout.write(f"{raw.ask(*command)}\n")
            except hiredis.ReplyError as error:
                sys.stderr.write(f"{shlex.join(command)}: {error}\n")
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
