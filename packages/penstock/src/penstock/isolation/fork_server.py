"""The fork server's process: a clean interpreter with one thread that imports the handler and forks children.

`python -m penstock.isolation.fork_server SOCKET LIFELINE[,FILE...] [REASON]`. It and its children keep each FILE open.
REASON describes what an earlier import left behind in this process. If it is given, this process imports nothing, and
each child imports the handler itself.
"""

from __future__ import annotations

import collections
import contextlib
import gc
import os
import select
import signal
import socket
import sys
from collections.abc import Sequence

from penstock.isolation import child, lifeline
from penstock.isolation.errors import HandlerImportError
from penstock.isolation.leftovers import left_behind, sockets
from penstock.isolation.program import ChildProgram, load
from penstock.isolation.protocol import (
    Decoder,
    Exited,
    Fork,
    ForkFailed,
    Hello,
    ImportFailed,
    Packet,
    Prepare,
    Prepared,
    Signal,
    encode,
)


class ForkServer:
    """Forks on request, and reports how each child ends."""

    def __init__(self, control: socket.socket, worker: int, kept: Sequence[int], each_imports: str) -> None:
        """Communicate over `control`; pass the lifeline `worker` and the files `kept` on to children."""
        self._control = control
        self._worker = worker
        self._kept = kept
        self._each_imports = each_imports
        self._decoder = Decoder()
        self._children: dict[int, int] = {}
        """The worker's number for each child, by process id."""
        self._passed_files: collections.deque[int] = collections.deque()
        self._prepare = Prepare("", {}, (), None)
        self._program: ChildProgram | None = None
        self._waker, self._woken = socket.socketpair()

    def serve(self) -> None:
        """Serve the worker, until it closes the socket."""
        self._send(Hello())
        self._set_signal_handlers()
        poll = select.poll()
        poll.register(self._control, select.POLLIN)
        poll.register(self._woken, select.POLLIN)
        while True:
            ready = {file for file, _ in poll.poll()}
            if self._woken.fileno() in ready:
                self._woken.recv(4096)
                self._reap()
            if self._control.fileno() in ready and not self._receive():
                return

    def _set_signal_handlers(self) -> None:
        """Set signal handlers; again after an import, which may have set others."""
        self._waker.settimeout(0)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self._waker.fileno(), warn_on_full_buffer=False)
        child.ignore_signals()

    def _send(self, packet: Packet) -> None:
        with contextlib.suppress(OSError):  # the worker has closed the socket; the next read notices it
            self._control.sendall(encode(packet))

    def _receive(self) -> bool:
        try:
            data, files, _, _ = socket.recv_fds(self._control, 65536, 64)
        except OSError:
            return False
        self._passed_files += files
        for packet, _ in self._decoder.feed(data):
            if isinstance(packet, Fork):
                self._fork(packet.child, self._passed_files.popleft())
            elif isinstance(packet, Signal):
                self._signal(packet)
            elif isinstance(packet, Prepare):
                self._import_handler(packet)
        return bool(data)

    def _import_handler(self, prepare: Prepare) -> None:
        self._prepare = prepare
        if not self._each_imports:
            before = sockets()
            try:
                self._program = load(prepare)
            except HandlerImportError as error:
                self._send(ImportFailed(str(error)))
                return
            self._set_signal_handlers()
            if left := left_behind(before):
                self._restart_clean(left)
            gc.collect()
            gc.freeze()  # so that collections in children do not write to shared pages
        self._send(Prepared(self._each_imports))

    def _restart_clean(self, left: str) -> None:
        """Become a clean interpreter again, with the same process id and the same worker."""
        _flush()
        control, kept = self._control.fileno(), (self._worker, *self._kept)
        for file in (control, *kept):
            os.set_inheritable(file, True)  # noqa: FBT003 - takes no keyword
        files = str(control), ",".join(map(str, kept))
        command = [sys.executable, "-P", "-m", "penstock.isolation.fork_server", *files, left]
        os.execv(sys.executable, command)  # noqa: S606 - this program

    def _fork(self, number: int, file: int) -> None:
        os.set_inheritable(file, False)  # noqa: FBT003 - takes no keyword
        sock = socket.socket(fileno=file)
        _flush()
        try:
            process = os.fork()
        except OSError as error:
            sock.close()
            self._send(ForkFailed(number, f"no process could be started: {error.strerror}"))
            return
        if process == 0:
            fork_server_sockets = self._control, self._waker, self._woken
            child.run_child(sock, self._worker, self._prepare, self._program, fork_server_sockets)
        sock.close()
        with contextlib.suppress(OSError):  # the child has done this itself, or is gone
            os.setpgid(process, process)
        self._children[process] = number

    def _signal(self, packet: Signal) -> None:
        for process, number in self._children.items():
            if number == packet.child:
                with contextlib.suppress(OSError):
                    os.killpg(process, packet.signal)
                with contextlib.suppress(OSError):  # a handler may have left the group
                    os.kill(process, packet.signal)

    def _reap(self) -> None:
        for process, number in list(self._children.items()):
            ended, status = os.waitpid(process, os.WNOHANG)
            if not ended:
                continue
            del self._children[process]
            code = os.waitstatus_to_exitcode(status)
            if code:
                # Kill programs that its handler started. SIGTERM is not enough: the handler's forks ignore it.
                with contextlib.suppress(OSError):
                    os.killpg(process, signal.SIGKILL)
            self._send(Exited(number, code))


def _flush() -> None:
    """Write buffered output before a fork, or each child would write it again."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):
            stream.flush()


def _close_all_but(*kept: int) -> None:
    """Close all files but these, because uvloop passes on too many; programs that handlers start inherit none."""
    for file in kept:
        os.set_inheritable(file, False)  # noqa: FBT003 - takes no keyword
    for name in os.listdir("/dev/fd"):  # noqa: PTH208 - names suffice
        if int(name) not in (0, 1, 2, *kept):
            with contextlib.suppress(OSError):  # the listing itself
                os.close(int(name))


def main(arguments: list[str]) -> None:
    """Serve the worker that passed these files."""
    control = int(arguments[0])
    worker, *kept = map(int, arguments[1].split(","))
    _close_all_but(control, worker, *kept)
    child.ignore_signals()
    lifeline.hold(worker)
    ForkServer(socket.socket(fileno=control), worker, kept, "".join(arguments[2:])).serve()


if __name__ == "__main__":
    main(sys.argv[1:])
    _flush()
    os._exit(0)  # without waiting for threads that an import has started
