"""A program for children: each message says what to do with the process that runs it."""

from __future__ import annotations

import asyncio
import ctypes
import json
import os
import re
import select
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from pathlib import Path

from penstock.isolation import JSON, CancelReason, RunControl, RunRequest

IMPORTED_IN = os.getpid()
HOG: list[bytearray] = []


class TooManyRequests(Exception):  # noqa: N818 - as others name theirs
    """An exception such as HTTP clients raise."""

    status_code = 429


def score() -> int:
    """How likely the kernel is to kill this process."""
    return int(Path("/proc/self/oom_score_adj").read_text())


class Doing:
    """Does what the field `do` says."""

    def __init__(self, config: Mapping[str, JSON]) -> None:
        """Keep the configuration."""
        self.config = config
        self.runs = 0

    async def run(self, delivery: RunRequest, control: RunControl) -> bytes:
        self.runs += 1
        fields = dict(delivery.fields)
        did = await DEEDS[fields[b"do"].decode()](self, delivery, control)
        return did if isinstance(did, bytes) else json.dumps(did).encode()

    async def close(self) -> None:
        if isinstance(file := self.config.get("closed"), str):
            note(Path(file))


def note(file: Path) -> None:
    """Write down the id of this process."""
    with file.open("a") as lines:
        lines.write(f"{os.getpid()}\n")


def make(config: Mapping[str, JSON]) -> Doing:
    """The target of the tests."""
    return Doing(config)


Deed = Callable[[Doing, RunRequest, RunControl], Awaitable[object]]
DEEDS: dict[str, Deed] = {}


def deed(function: Deed) -> Deed:
    DEEDS[getattr(function, "__name__", "")] = function
    return function


@deed
async def who(program: Doing, _: RunRequest, __: RunControl) -> object:
    """Describe the process."""
    return {"pid": os.getpid(), "runs": program.runs, "imported_in": IMPORTED_IN, "config": program.config}


@deed
async def echo(_: Doing, delivery: RunRequest, __: RunControl) -> object:
    return b"".join(b"%d:%s," % (len(part), part) for field in delivery.fields for part in field)


@deed
async def repeat(_: Doing, delivery: RunRequest, __: RunControl) -> object:
    """Return everything of the request but its fields."""
    names = ("attempt", "fence", "consumer", "seconds_left")
    return {"id": delivery.id.decode("latin-1"), **{name: getattr(delivery, name) for name in names}}


@deed
async def tell(_: Doing, __: RunRequest, control: RunControl) -> object:
    """Report progress from the loop, and from a thread while the loop is blocked."""
    control.progress({"done": 1, "of": 3})
    thread = threading.Thread(target=control.progress, args=("two",))
    thread.start()
    thread.join()
    control.progress([3])
    return "told"


@deed
async def flood(_: Doing, __: RunRequest, control: RunControl) -> object:
    """Report much progress, from two threads."""

    def tell_a_lot(who: int) -> None:
        for number in range(1000):
            control.progress([who, number, "x" * 1000])

    thread = threading.Thread(target=tell_a_lot, args=(2,))
    thread.start()
    tell_a_lot(1)
    thread.join()
    return 2000


@deed
async def tell_late(_: Doing, __: RunRequest, control: RunControl) -> None:
    """Leave a thread behind that goes on reporting."""

    def tell() -> None:
        """Report progress from the loop, and from a thread while the loop is blocked."""
        for number in range(200):
            control.progress(["late", number])
            time.sleep(0.001)

    threading.Thread(target=tell, daemon=True).start()


@deed
async def list_files(_: Doing, __: RunRequest, ___: RunControl) -> object:
    """Run a program that lists its open files."""
    listing = ["ls", "/proc/self/fd"]
    return subprocess.run(listing, close_fds=False, stdout=subprocess.PIPE, check=True).stdout.decode().split()  # noqa: ASYNC221 - short


@deed
async def hear_signals(_: Doing, __: RunRequest, ___: RunControl) -> object:
    """Open many files, and check whether a signal writes to one of them."""
    files = [one for _ in range(20) for one in socket.socketpair()]
    os.kill(os.getpid(), signal.SIGTERM)
    return [one.fileno() for one in select.select(files, [], [], 0)[0]]


@deed
async def use_the_loop(_: Doing, __: RunRequest, ___: RunControl) -> object:
    """Run a program on the loop, and a function in a thread."""
    program = await asyncio.create_subprocess_exec("sh", "-c", "exit 3")
    return [await program.wait(), await asyncio.to_thread(os.getpid) == os.getpid()]


@deed
async def leave_at_once(_: Doing, __: RunRequest, ___: RunControl) -> None:
    os._exit(3)


@deed
async def segfault(_: Doing, __: RunRequest, ___: RunControl) -> object:
    return ctypes.string_at(0)


@deed
async def kill_itself(_: Doing, __: RunRequest, ___: RunControl) -> None:
    os.kill(os.getpid(), signal.SIGKILL)
    await asyncio.sleep(60)


@deed
async def close_all_files(_: Doing, __: RunRequest, ___: RunControl) -> None:
    """As a daemon does."""
    os.closerange(3, 1000)
    while True:
        time.sleep(1)  # noqa: ASYNC251 - the loop has lost its files


@deed
async def talk_nonsense(_: Doing, __: RunRequest, ___: RunControl) -> None:
    """Write to every file that is a socket."""
    for file in map(int, os.listdir("/proc/self/fd")):  # noqa: PTH208 - short
        with suppress(OSError):
            if stat.S_ISSOCK(os.fstat(file).st_mode):
                os.write(file, b"GET / HTTP/1.1\r\n\r\n")
    await asyncio.sleep(60)


@deed
async def hold_the_lock(_: Doing, __: RunRequest, control: RunControl) -> object:
    """Backtrack for ages in C."""
    control.progress(os.getpid())
    return re.match(r"(a+)+$", "a" * 64 + "b")


@deed
async def wait(_: Doing, __: RunRequest, control: RunControl) -> None:
    """Wait to be cancelled, as a cooperative handler does."""
    task = asyncio.current_task()
    assert task is not None
    control.on_cancel(lambda _: task.cancel())
    control.progress(os.getpid())
    await asyncio.sleep(600)


@deed
async def finish_anyway(_: Doing, __: RunRequest, control: RunControl) -> object:
    """Return a result after the cancellation."""
    why: asyncio.Future[CancelReason] = asyncio.get_running_loop().create_future()
    control.on_cancel(why.set_result)
    control.progress(os.getpid())
    return {"why": await why}


@deed
async def ignore(_: Doing, __: RunRequest, control: RunControl) -> None:
    """Ignore the cancellation."""
    control.progress(os.getpid())
    await asyncio.sleep(600)


@deed
async def hide(program: Doing, delivery: RunRequest, control: RunControl) -> None:
    """Leave the process group, and ignore the cancellation."""
    os.setpgid(0, os.getppid())
    await ignore(program, delivery, control)


@deed
async def wait_for_file(_: Doing, delivery: RunRequest, control: RunControl) -> object:
    """Run until a file exists."""
    control.progress(os.getpid())
    file = dict(delivery.fields)[b"file"]
    while not os.access(file, os.F_OK):  # noqa: ASYNC110 - a file has no event
        await asyncio.sleep(0.01)
    return "seen"


@deed
async def start_a_program(_: Doing, delivery: RunRequest, control: RunControl) -> None:
    """Start a program that runs on, then do what the field `then` says."""
    control.progress(subprocess.Popen(["sleep", "600"]).pid)  # noqa: ASYNC220 - it is not waited for
    then = dict(delivery.fields)[b"then"]
    if then == b"crash":
        os._exit(1)
    await asyncio.sleep(600)


@deed
async def start_and_ignore(_: Doing, __: RunRequest, control: RunControl) -> None:
    """Start a program and wait for it, ignoring the cancellation."""
    program = subprocess.Popen(["sleep", "600"])  # noqa: ASYNC220 - it is waited for in the next line
    control.progress(program.pid)
    program.wait()


@deed
async def fork(_: Doing, __: RunRequest, control: RunControl) -> None:
    """Crash, and leave a fork behind that has all files open."""
    child = os.fork()
    if not child:
        time.sleep(600)  # noqa: ASYNC251 - another process
        os._exit(0)
    control.progress(child)
    os._exit(9)


@deed
async def terminate_a_program(_: Doing, __: RunRequest, ___: RunControl) -> object:
    """Send SIGTERM, which a child ignores, to a program."""
    program = subprocess.Popen(["sleep", "600"])  # noqa: ASYNC220 - it ends at once
    program.terminate()
    return program.wait(240)


@deed
async def take_memory(_: Doing, __: RunRequest, ___: RunControl) -> object:
    return len(bytearray(200 << 20))


@deed
async def hog_and_keep(_: Doing, __: RunRequest, ___: RunControl) -> None:
    """Take memory in small pieces until there is none, and keep it."""
    while True:
        HOG.append(bytearray(65536))


@deed
async def use_threads(_: Doing, __: RunRequest, ___: RunControl) -> object:
    """Allocate in eight threads at once."""
    together = threading.Barrier(8)
    took = []

    def take() -> None:
        together.wait(240)
        took.append(bytearray(1000))
        together.wait(240)

    threads = [threading.Thread(target=take) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return len(took)


@deed
async def tell_score(_: Doing, __: RunRequest, ___: RunControl) -> object:
    return score()


@deed
async def say_aloud(_: Doing, __: RunRequest, ___: RunControl) -> None:
    print("out of the child")  # noqa: T201 - the point of it
    print("err of the child", file=sys.stderr)  # noqa: T201 - the point of it


@deed
async def refuse(_: Doing, __: RunRequest, ___: RunControl) -> None:
    raise TooManyRequests("slow down")


@deed
async def leave_by_name(_: Doing, __: RunRequest, ___: RunControl) -> None:
    sys.exit("no more")


@deed
async def leave_in_a_task(_: Doing, __: RunRequest, ___: RunControl) -> None:
    async def leave() -> None:
        sys.exit("no more")

    await asyncio.create_task(leave())


@deed
async def cancel_itself(_: Doing, __: RunRequest, ___: RunControl) -> None:
    raise asyncio.CancelledError


@deed
async def be_the_last(_: Doing, __: RunRequest, control: RunControl) -> object:
    control.retire()
    return os.getpid()
