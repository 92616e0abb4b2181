"""A real server in virtual time: scripts read the simulation's clock, and everything expires by it."""

from __future__ import annotations

import hashlib
import socket
import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Self, cast

import hiredis
from lua_keys import names
from servers import Server

from penstock import scripts
from penstock.wire.command import Argument, pack
from penstock.wire.errors import Refused, Reply

EPOCH = 4_102_444_800_000
"""Redis time at the start of a simulation, in ms: far in the future, so that `*` gives ascending ids."""
NOW = "simulated:now"
REAL = (scripts.FOLDER / "shared" / "now.lua").read_bytes()
VIRTUAL = f"local function now() return tonumber(redis.call('GET', '{NOW}')) end\n".encode()

Words = Sequence[Argument]
Patches = Mapping[str, Callable[[bytes], bytes]]
"""Changes to the text of scripts, by name, which remove a safeguard."""


EXPIRES = b"redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])"
PERSISTS = b"redis.call('SET', KEYS[1], ARGV[1])"
"""The server's clock must not expire the janitor's lock: a schedule may take longer than the lock."""


@cache
def _virtual(name: str) -> bytes:
    text = scripts.script(name).text.replace(REAL, VIRTUAL)
    if name == "lead":
        assert EXPIRES in text
        return text.replace(EXPIRES, PERSISTS)
    return text


def _sha(text: bytes) -> str:
    return hashlib.sha1(text, usedforsecurity=False).hexdigest()


class Texts:
    """The scripts of a simulation's server, under the names that the runtime uses."""

    def __init__(self, patches: Patches | None = None) -> None:
        patches = patches or {}
        self.names = {scripts.script(name).sha: name for name in names()}
        self._texts: dict[str, bytes] = {}
        for name in names():
            text = _virtual(name)
            if name in patches:
                changed = patches[name](text)
                assert changed != text, f"the patch of `{name}` changes nothing"
                text = changed
            self._texts[name] = text
        self._shas = {name: _sha(text) for name, text in self._texts.items()}

    def known(self, command: Words) -> tuple[str, Words]:
        """The name of a command in a trace, and the command to send."""
        verb = str(command[0])
        if verb == "EVALSHA":
            name = self.names[str(command[1])]
            return name, ("EVALSHA", self._shas[name], *command[2:])
        if verb in ("EVAL", "SCRIPT"):
            at = 2 if verb == "SCRIPT" else 1
            name = self.names[_sha(cast("bytes", command[at]))]
            if verb == "SCRIPT":
                return "SCRIPT LOAD", ("SCRIPT", "LOAD", self._texts[name])
            return name, ("EVAL", self._texts[name], *command[2:])
        return verb, command

    def load(self) -> list[Words]:
        return [("SCRIPT", "LOAD", text) for text in self._texts.values()]


class Store:
    """The server's process and one connection to it, which runs commands at once and in order."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="penstock-simulation-")
        path = Path(self._folder.name) / "socket"
        self._server = Server(f"unixsocket {path}")
        self._path = path
        self._socket: socket.socket | None = None
        self._reader = hiredis.Reader(replyError=Refused)
        self.executed = 0
        self.knows: Texts | None = None
        """The scripts that are loaded."""

    def __enter__(self) -> Self:
        self._server.start()
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.connect(str(self._path))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._socket:
            self._socket.close()
        self._server.kill()
        self._folder.cleanup()

    def ask(self, *commands: Words) -> list[Reply | Refused]:
        """Send commands together, and return their replies."""
        connected = self._socket
        assert connected, "the server does not run"
        connected.sendall(b"".join([pack(tuple(command)) for command in commands]))
        self.executed += len(commands)
        answers: list[Reply | Refused] = []
        gets = self._reader.gets
        while len(answers) < len(commands):
            answer = gets()
            if answer is False:
                received = connected.recv(1 << 16)
                if not received:
                    raise ConnectionError("the server has closed the connection")
                self._reader.feed(received)
            else:
                answers.append(answer)
        return answers
