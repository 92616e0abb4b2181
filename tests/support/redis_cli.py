"""Replaces `redis-cli` in tests of pages: no system package is needed, and the hosts of the pages do not exist.

After `-h HOST` comes a command, or none, and then standard input has a command a line. The server at
PENSTOCK_TEST_REDIS answers, whichever host is named. Unlike the real one it exits with 1 after an error, so that the
test notices a command that Redis refuses.
"""

from __future__ import annotations

import os
import shlex
import sys
from contextlib import closing

import hiredis
from raw_client import RawClient


def main() -> int:
    """Send the commands and print the replies."""
    flag, _, *words = sys.argv[1:]
    assert flag == "-h", sys.argv
    commands = [words] if words else [shlex.split(line, comments=True) for line in sys.stdin]
    host, _, port = os.environ["PENSTOCK_TEST_REDIS"].rpartition(":")
    with closing(RawClient(host, int(port))) as client:
        for command in filter(None, commands):
            try:
                sys.stdout.write(f"{client.ask(*command)}\n")
            except hiredis.ReplyError as error:
                sys.stderr.write(f"{shlex.join(command)}: {error}\n")
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
