"""A connection to the server that a benchmark measures, and the cores that server and worker are pinned to."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from typing import Any

import hiredis


def encode(*words: str | int) -> bytes:
    """A command in Redis's protocol."""
    parts = [str(word).encode() for word in words]
    return b"*%d\r\n" % len(parts) + b"".join(b"$%d\r\n%s\r\n" % (len(part), part) for part in parts)


class Redis:
    """A connection for setup and counting."""

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port))
        self._reader = hiredis.Reader()

    def ask(self, *command: str | int) -> Any:  # noqa: ANN401 - any reply of Redis
        """Send one command."""
        return self.ask_all(encode(*command), 1)[0]

    def ask_all(self, commands: bytes, count: int) -> list[Any]:
        """Send encoded commands."""
        self._socket.sendall(commands)
        replies: list[Any] = []
        while len(replies) < count:
            reply = self._reader.gets()
            if reply is False:
                self._reader.feed(self._socket.recv(1 << 16))
            elif isinstance(reply, Exception):
                raise reply
            else:
                replies.append(reply)
        return replies

    def name(self) -> str:
        """The server and its version."""
        lines = self.ask("INFO", "server").decode().split("\r\n")
        facts = dict(line.split(":", 1) for line in lines if ":" in line)
        valkey = facts.get("valkey_version")
        return f"Valkey {valkey}" if valkey else f"Redis {facts['redis_version']}"

    def cpu(self) -> float:
        """CPU seconds that the server has used."""
        info = dict(line.split(":") for line in self.ask("INFO", "cpu").decode().split() if ":" in line)
        return float(info["used_cpu_user"]) + float(info["used_cpu_sys"])

    def close(self) -> None:
        """Close the connection."""
        self._socket.close()


def on_core(number: int) -> list[str]:
    """Command prefix that pins a process to a core, if there are several."""
    taskset = shutil.which("taskset")
    return [taskset, "-c", str(number)] if taskset and (os.cpu_count() or 1) > 1 else []


def pin(pid: int, number: int) -> None:
    """Pin a running process to a core, if there are several."""
    if words := on_core(number):
        command = [words[0], "-a", "-pc", str(number), str(pid)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)  # noqa: S603 - our own command
