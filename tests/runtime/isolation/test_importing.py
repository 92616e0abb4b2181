"""The handler is imported once where that is safe, and import errors are one line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from child_processes import PROGRAMS, fork_servers, open_files, pool_driver
from event_loop import run_async, until

from penstock.isolation import HandlerImportError, Returned

LEAVES_BEHIND = {
    "a thread": (
        "import threading\nthreading.Thread(target=threading.Event().wait, daemon=True).start()\n",
        "its import starts a thread",
    ),
    "threads that are not waited for": (
        "import threading\nfor _ in range(3): threading.Thread(target=threading.Event().wait).start()\n",
        "its import starts 3 threads",
    ),
    "a connection": ("import socket\npair = socket.socketpair()\n", "its import opens a socket or an event loop"),
    "a loop": ("import asyncio\nloop = asyncio.new_event_loop()\n", "its import opens a socket or an event loop"),
}
LEAVES_NOTHING = {
    "a thread that has ended": "import threading\nt = threading.Thread(target=print)\nt.start()\nt.join()\n",
    "a connection that was closed": "import socket\nfor one in socket.socketpair(): one.close()\n",
    "signals": "from signal import *\nsignal(SIGCHLD, SIG_IGN)\nsignal(SIGTERM, SIG_DFL)\nset_wakeup_fd(-1)\n",
    "threads that know forks": "import os, threading\nevent = threading.Event()\n"
    "thread = threading.Thread(target=event.wait)\nthread.start()\n"
    "os.register_at_fork(before=lambda: (event.set(), thread.join()))\n",
    "a program that has ended": "import subprocess\nsubprocess.run(['true'])\n",
}
BROKEN = {
    "no module": (None, "ModuleNotFoundError: No module named 'handler'"),
    "another module missing": (
        "import nowhere_at_all\n",
        "ModuleNotFoundError: No module named 'nowhere_at_all' (handler.py:1)",
    ),
    "no such name": ("", "AttributeError: module 'handler' has no attribute 'make'"),
    "no Python": ("def make(:\n", "SyntaxError: invalid syntax (handler.py, line 1)"),
    "it leaves": ("import sys\nsys.exit(3)\n", "SystemExit: 3 (handler.py:2)"),
    "it fails when it is called": (
        "def make(config):\n    raise LookupError('no such\\n  index')\n",
        "LookupError: no such index (handler.py:2)",
    ),
}


async def two_children(path: Path) -> tuple[dict[str, Any], dict[str, Any], str]:
    """The data of two children, and why each imports the handler itself."""
    async with pool_driver("handler:make", path=(str(path), PROGRAMS)) as it:
        ended = [await it.do("who") for _ in range(2)]
        whos = [json.loads(one.result) for one in ended if isinstance(one, Returned)]
        return whos[0], whos[1], it.processes.each_imports


@pytest.mark.parametrize("leaves", LEAVES_NOTHING.values(), ids=LEAVES_NOTHING)
def test_children_share_one_import(tmp_path: Path, leaves: str) -> None:
    """They are forks of the process that has imported the handler, and the worker learns of their ends as usual."""
    (tmp_path / "handler.py").write_text(f"{leaves}from doing import make\n")

    async def scenario() -> None:
        one, other, why = await two_children(tmp_path)
        assert one["imported_in"] == other["imported_in"]
        assert len({one["pid"], other["pid"], one["imported_in"]}) == 3
        assert why == ""

    run_async(scenario())


@pytest.mark.parametrize(("leaves", "says"), LEAVES_BEHIND.values(), ids=LEAVES_BEHIND)
def test_each_child_imports_the_handler(tmp_path: Path, leaves: str, says: str) -> None:
    """Threads do not survive a fork, and forks would share a connection, so each child starts without imports."""
    (tmp_path / "handler.py").write_text(f"{leaves}from doing import make\n")

    async def scenario() -> None:
        before = open_files()
        one, other, why = await two_children(tmp_path)
        assert [who["imported_in"] == who["pid"] for who in (one, other)] == [True, True]
        assert one["pid"] != other["pid"]
        assert why == says
        await until(lambda: open_files() == before, "no file is left")

    run_async(scenario())


@pytest.mark.parametrize(("module", "says"), BROKEN.values(), ids=BROKEN)
def test_an_import_error_is_reported(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], module: str | None, says: str
) -> None:
    """In one line, with the place, at the start and for each message; without a traceback."""
    if module is not None:
        (tmp_path / "handler.py").write_text(module)

    async def scenario() -> None:
        async with pool_driver("handler:make", path=(str(tmp_path),)) as it:
            with pytest.raises(HandlerImportError) as told:
                await it.processes.start()
            assert str(told.value) == says
            with pytest.raises(HandlerImportError) as told:
                await it.do("who")
            assert str(told.value) == says
        assert fork_servers() == []

    run_async(scenario())
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("module", "says"),
    [
        ("import os\nos._exit(4)\n", "the process that imported the handler is gone: it ended with code 4"),
        (
            "import ctypes\nctypes.string_at(0)\n",
            "the process that imported the handler is gone: it was killed by SIGSEGV",
        ),
    ],
)
def test_a_crash_in_an_import_is_reported(tmp_path: Path, module: str, says: str) -> None:
    """After several tries, as another process may have killed it."""
    (tmp_path / "handler.py").write_text(module)

    async def scenario() -> None:
        async with pool_driver("handler:make", path=(str(tmp_path),)) as it:
            with pytest.raises(HandlerImportError) as told:
                await it.processes.start()
            assert str(told.value) == says

    run_async(scenario())


def test_an_import_error_in_a_child_is_reported(tmp_path: Path) -> None:
    """The child imports the handler itself, and the code has changed meanwhile."""
    (tmp_path / "handler.py").write_text("import asyncio\nloop = asyncio.new_event_loop()\nfrom doing import make\n")

    async def scenario() -> None:
        async with pool_driver("handler:make", path=(str(tmp_path), PROGRAMS)) as it:
            await it.processes.start()
            (tmp_path / "handler.py").write_text("1 / 0")
            with pytest.raises(HandlerImportError, match=r"^ZeroDivisionError: division by zero \(handler.py:1\)$"):
                await it.do("who")

    run_async(scenario())


@pytest.mark.parametrize("loop", [False, True])
def test_the_current_folder_is_not_searched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, loop: bool) -> None:
    """A team's `json.py` does not replace Python's, unless the worker puts its folder first."""
    (tmp_path / "json.py").write_text("raise RuntimeError('not this one')\n")
    monkeypatch.chdir(tmp_path)

    async def scenario() -> None:
        async with pool_driver("heedless:make", {"loop": loop}) as it:
            assert isinstance(await it.do("who"), Returned)
            assert bool(it.processes.each_imports) is loop

    run_async(scenario())
