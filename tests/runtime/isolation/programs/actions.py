"""A program for children: each message names an action that runs in its process."""

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
KEPT: list[bytearray] = []


class TooManyRequests(Exception):  # noqa: N818 - HTTP clients use such names
    """An exception such as HTTP clients raise."""

    status_code = 429


def score() -> int:
    """Return how likely the kernel is to kill this process."""
    return int(Path("/proc/self/oom_score_adj").read_text())


class ActionProgram:
    """Run the action that the field `do` names."""

    def __init__(self, config: Mapping[str, JSON]) -> None:
        """Keep the configuration."""
        self.config = config
        self.runs = 0

    async def run(self, delivery: RunRequest, control: RunControl) -> bytes:
        self.runs += 1
        fields = dict(delivery.fields)
        result = await ACTIONS[fields[b"do"].decode()](self, delivery, control)
        return result if isinstance(result, bytes) else json.dumps(result).encode()

    async def close(self) -> None:
        if isinstance(file := self.config.get("closed"), str):
            note(Path(file))


def note(file: Path) -> None:
    """Append the id of this process."""
    with file.open("a") as lines:
        lines.write(f"{os.getpid()}\n")


def make(config: Mapping[str, JSON]) -> ActionProgram:
    """Return the program; tests name this function as their target."""
    return ActionProgram(config)


Action = Callable[[ActionProgram, RunRequest, RunControl], Awaitable[object]]
ACTIONS: dict[str, Action] = {}


def action(function: Action) -> Action:
    ACTIONS[getattr(function, "__name__", "")] = function
    return function


@action
async def describe(program: ActionProgram, _: RunRequest, __: RunControl) -> object:
    """Describe the process."""
    return {"pid": os.getpid(), "runs": program.runs, "imported_in": IMPORTED_IN, "config": program.config}


@action
async def echo(_: ActionProgram, delivery: RunRequest, __: RunControl) -> object:
    return b"".join(b"%d:%s," % (len(part), part) for field in delivery.fields for part in field)


@action
async def return_request(_: ActionProgram, delivery: RunRequest, __: RunControl) -> object:
    """Return everything of the request but its fields."""
    names = ("attempt", "fence", "consumer", "seconds_left")
    return {"id": delivery.id.decode("latin-1"), **{name: getattr(delivery, name) for name in names}}


@action
async def report(_: ActionProgram, __: RunRequest, control: RunControl) -> object:
    """Report progress from the loop, and from a thread while the loop is blocked."""
    control.progress({"done": 1, "of": 3})
    thread = threading.Thread(target=control.progress, args=("two",))
    thread.start()
    thread.join()
    control.progress([3])
    return "reported"


@action
async def flood(_: ActionProgram, __: RunRequest, control: RunControl) -> object:
    """Report much progress, from two threads."""

    def report_often(source: int) -> None:
        for number in range(1000):
            control.progress([source, number, "x" * 1000])

    thread = threading.Thread(target=report_often, args=(2,))
    thread.start()
    report_often(1)
    thread.join()
    return 2000


@action
async def report_late(_: ActionProgram, __: RunRequest, control: RunControl) -> None:
    """Start a thread that keeps reporting after the end."""

    def report() -> None:
        for number in range(200):
            control.progress(["late", number])
            time.sleep(0.001)

    threading.Thread(target=report, daemon=True).start()


@action
async def list_files(_: ActionProgram, __: RunRequest, ___: RunControl) -> object:
    """Run a program that lists its open files."""
    listing = ["ls", "/proc/self/fd"]
    return subprocess.run(listing, close_fds=False, stdout=subprocess.PIPE, check=True).stdout.decode().split()  # noqa: ASYNC221 - short


@action
async def check_signals(_: ActionProgram, __: RunRequest, ___: RunControl) -> object:
    """Open many files, and check whether a signal writes to one of them."""
    files = [one for _ in range(20) for one in socket.socketpair()]
    os.kill(os.getpid(), signal.SIGTERM)
    return [one.fileno() for one in select.select(files, [], [], 0)[0]]


@action
async def use_the_loop(_: ActionProgram, __: RunRequest, ___: RunControl) -> object:
    """Run a program on the loop, and a function in a thread."""
    program = await asyncio.create_subprocess_exec("sh", "-c", "exit 3")
    return [await program.wait(), await asyncio.to_thread(os.getpid) == os.getpid()]


@action
async def exit_at_once(_: ActionProgram, __: RunRequest, ___: RunControl) -> None:
    os._exit(3)


@action
async def segfault(_: ActionProgram, __: RunRequest, ___: RunControl) -> object:
    return ctypes.string_at(0)


@action
async def kill_itself(_: ActionProgram, __: RunRequest, ___: RunControl) -> None:
    os.kill(os.getpid(), signal.SIGKILL)
    await asyncio.sleep(60)


@action
async def close_all_files(_: ActionProgram, __: RunRequest, ___: RunControl) -> None:
    """Close files as a daemon does."""
    os.closerange(3, 1000)
    while True:
        time.sleep(1)  # noqa: ASYNC251 - the loop has no files any more


@action
async def write_garbage(_: ActionProgram, __: RunRequest, ___: RunControl) -> None:
    """Write to every file that is a socket."""
    for file in map(int, os.listdir("/proc/self/fd")):  # noqa: PTH208 - short
        with suppress(OSError):
            if stat.S_ISSOCK(os.fstat(file).st_mode):
                os.write(file, b"GET / HTTP/1.1\r\n\r\n")
    await asyncio.sleep(60)


@action
async def hold_the_gil(_: ActionProgram, __: RunRequest, control: RunControl) -> object:
    """Backtrack in C for a very long time."""
    control.progress(os.getpid())
    return re.match(r"(a+)+$", "a" * 64 + "b")


@action
async def wait(_: ActionProgram, __: RunRequest, control: RunControl) -> None:
    """Wait to be cancelled, as a cooperative handler does."""
    task = asyncio.current_task()
    assert task is not None
    control.on_cancel(lambda _: task.cancel())
    control.progress(os.getpid())
    await asyncio.sleep(600)


@action
async def finish_anyway(_: ActionProgram, __: RunRequest, control: RunControl) -> object:
    """Return a result after the cancellation."""
    why: asyncio.Future[CancelReason] = asyncio.get_running_loop().create_future()
    control.on_cancel(why.set_result)
    control.progress(os.getpid())
    return {"why": await why}


@action
async def ignore(_: ActionProgram, __: RunRequest, control: RunControl) -> None:
    """Ignore the cancellation."""
    control.progress(os.getpid())
    await asyncio.sleep(600)


@action
async def leave_the_group(program: ActionProgram, delivery: RunRequest, control: RunControl) -> None:
    """Leave the process group, and ignore the cancellation."""
    os.setpgid(0, os.getppid())
    await ignore(program, delivery, control)


@action
async def wait_for_file(_: ActionProgram, delivery: RunRequest, control: RunControl) -> object:
    """Run until a file exists."""
    control.progress(os.getpid())
    file = dict(delivery.fields)[b"file"]
    while not os.access(file, os.F_OK):  # noqa: ASYNC110 - a file has no event
        await asyncio.sleep(0.01)
    return "seen"


@action
async def start_a_program(_: ActionProgram, delivery: RunRequest, control: RunControl) -> None:
    """Start a program that keeps running, then follow the field `then`."""
    control.progress(subprocess.Popen(["sleep", "600"]).pid)  # noqa: ASYNC220 - it is not waited for
    then = dict(delivery.fields)[b"then"]
    if then == b"crash":
        os._exit(1)
    await asyncio.sleep(600)


@action
async def start_and_ignore(_: ActionProgram, __: RunRequest, control: RunControl) -> None:
    """Start a program and wait for it, ignoring the cancellation."""
    program = subprocess.Popen(["sleep", "600"])  # noqa: ASYNC220 - it is waited for in the next line
    control.progress(program.pid)
    program.wait()


@action
async def fork(_: ActionProgram, __: RunRequest, control: RunControl) -> None:
    """Crash, and leave a fork that keeps all files open."""
    child = os.fork()
    if not child:
        time.sleep(600)  # noqa: ASYNC251 - another process
        os._exit(0)
    control.progress(child)
    os._exit(9)


@action
async def terminate_a_program(_: ActionProgram, __: RunRequest, ___: RunControl) -> object:
    """Send SIGTERM, which a child ignores, to a program."""
    program = subprocess.Popen(["sleep", "600"])  # noqa: ASYNC220 - it ends at once
    program.terminate()
    return program.wait(240)


@action
async def allocate(_: ActionProgram, __: RunRequest, ___: RunControl) -> object:
    return len(bytearray(200 << 20))


@action
async def fill_memory(_: ActionProgram, __: RunRequest, ___: RunControl) -> None:
    """Take memory in small pieces until there is none, and keep it."""
    while True:
        KEPT.append(bytearray(65536))


@action
async def use_threads(_: ActionProgram, __: RunRequest, ___: RunControl) -> object:
    """Allocate in eight threads at once."""
    together = threading.Barrier(8)
    allocated = []

    def take() -> None:
        together.wait(240)
        allocated.append(bytearray(1000))
        together.wait(240)

    threads = [threading.Thread(target=take) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return len(allocated)


@action
async def oom_score(_: ActionProgram, __: RunRequest, ___: RunControl) -> object:
    return score()


@action
async def print_lines(_: ActionProgram, __: RunRequest, ___: RunControl) -> None:
    print("out of the child")  # noqa: T201 - the test reads it
    print("err of the child", file=sys.stderr)  # noqa: T201 - the test reads it


@action
async def raise_429(_: ActionProgram, __: RunRequest, ___: RunControl) -> None:
    raise TooManyRequests("slow down")


@action
async def call_sys_exit(_: ActionProgram, __: RunRequest, ___: RunControl) -> None:
    sys.exit("no more")


@action
async def call_sys_exit_in_a_task(_: ActionProgram, __: RunRequest, ___: RunControl) -> None:
    async def leave() -> None:
        sys.exit("no more")

    await asyncio.create_task(leave())


@action
async def cancel_itself(_: ActionProgram, __: RunRequest, ___: RunControl) -> None:
    raise asyncio.CancelledError


@action
async def retire(_: ActionProgram, __: RunRequest, control: RunControl) -> object:
    control.retire()
    return os.getpid()
