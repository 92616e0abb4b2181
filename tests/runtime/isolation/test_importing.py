"""The handler is imported once where that is safe, and import errors fit on one line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from child_processes import PROGRAMS, fork_servers, open_files, pool_driver
from event_loop import run_async, until

from penstock.isolation import HandlerImportError, Returned

UNSAFE_IMPORTS = {
    "a thread": (
        "import threading\nthreading.Thread(target=threading.Event().wait, daemon=True).start()\n",
        "its import starts a thread",
    ),
    "threads that keep running": (
        "import threading\nfor _ in range(3): threading.Thread(target=threading.Event().wait).start()\n",
        "its import starts 3 threads",
    ),
    "a connection": ("import socket\npair = socket.socketpair()\n", "its import opens a socket or an event loop"),
    "a loop": ("import asyncio\nloop = asyncio.new_event_loop()\n", "its import opens a socket or an event loop"),
}
SAFE_IMPORTS = {
    "a thread that has ended": "import threading\nt = threading.Thread(target=print)\nt.start()\nt.join()\n",
    "a connection that was closed": "import socket\nfor one in socket.socketpair(): one.close()\n",
    "signals": "from signal import *\nsignal(SIGCHLD, SIG_IGN)\nsignal(SIGTERM, SIG_DFL)\nset_wakeup_fd(-1)\n",
    "threads that stop before a fork": "import os, threading\nevent = threading.Event()\n"
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
    "a syntax error": ("def make(:\n", "SyntaxError: invalid syntax (handler.py, line 1)"),
    "it exits": ("import sys\nsys.exit(3)\n", "SystemExit: 3 (handler.py:2)"),
    "it fails when called": (
        "def make(config):\n    raise LookupError('no such\\n  index')\n",
        "LookupError: no such index (handler.py:2)",
    ),
}


async def two_children(path: Path) -> tuple[dict[str, Any], dict[str, Any], str]:
    """Return the data of two children, and the reason why each imports the handler itself."""
    async with pool_driver("handler:make", path=(str(path), PROGRAMS)) as driver:
        ended = [await driver.do("describe") for _ in range(2)]
        infos = [json.loads(one.result) for one in ended if isinstance(one, Returned)]
        return infos[0], infos[1], driver.processes.each_imports


@pytest.mark.parametrize("code", SAFE_IMPORTS.values(), ids=SAFE_IMPORTS)
def test_children_share_one_import(tmp_path: Path, code: str) -> None:
    """They are forks of the process that has imported the handler, and the worker learns of their ends as usual."""
    (tmp_path / "handler.py").write_text(f"{code}from actions import make\n")

    async def scenario() -> None:
        one, other, why = await two_children(tmp_path)
        assert one["imported_in"] == other["imported_in"]
        assert len({one["pid"], other["pid"], one["imported_in"]}) == 3
        assert why == ""

    run_async(scenario())


@pytest.mark.parametrize(("code", "message"), UNSAFE_IMPORTS.values(), ids=UNSAFE_IMPORTS)
def test_each_child_imports_a_handler_that_is_unsafe_to_fork(tmp_path: Path, code: str, message: str) -> None:
    """Threads do not survive a fork, and forks would share a connection."""
    (tmp_path / "handler.py").write_text(f"{code}from actions import make\n")

    async def scenario() -> None:
        before = open_files()
        one, other, why = await two_children(tmp_path)
        assert [info["imported_in"] == info["pid"] for info in (one, other)] == [True, True]
        assert one["pid"] != other["pid"]
        assert why == message
        await until(lambda: open_files() == before, "no file is left")

    run_async(scenario())


@pytest.mark.parametrize(("module", "message"), BROKEN.values(), ids=BROKEN)
def test_an_import_error_is_reported(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], module: str | None, message: str
) -> None:
    """It is one line with the place, at the start and for each message; there is no traceback."""
    if module is not None:
        (tmp_path / "handler.py").write_text(module)

    async def scenario() -> None:
        async with pool_driver("handler:make", path=(str(tmp_path),)) as driver:
            with pytest.raises(HandlerImportError) as error:
                await driver.processes.start()
            assert str(error.value) == message
            with pytest.raises(HandlerImportError) as error:
                await driver.do("describe")
            assert str(error.value) == message
        assert fork_servers() == []

    run_async(scenario())
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("module", "message"),
    [
        ("import os\nos._exit(4)\n", "the process that imported the handler is gone: it ended with code 4"),
        (
            "import ctypes\nctypes.string_at(0)\n",
            "the process that imported the handler is gone: it was killed by SIGSEGV",
        ),
    ],
)
def test_a_crash_in_an_import_is_reported(tmp_path: Path, module: str, message: str) -> None:
    """The worker tries several times, because another process may have killed it."""
    (tmp_path / "handler.py").write_text(module)

    async def scenario() -> None:
        async with pool_driver("handler:make", path=(str(tmp_path),)) as driver:
            with pytest.raises(HandlerImportError) as error:
                await driver.processes.start()
            assert str(error.value) == message

    run_async(scenario())


def test_an_import_error_in_a_child_is_reported(tmp_path: Path) -> None:
    """The child imports the handler itself, and the code has changed after the start."""
    (tmp_path / "handler.py").write_text("import asyncio\nloop = asyncio.new_event_loop()\nfrom actions import make\n")

    async def scenario() -> None:
        async with pool_driver("handler:make", path=(str(tmp_path), PROGRAMS)) as driver:
            await driver.processes.start()
            (tmp_path / "handler.py").write_text("1 / 0")
            with pytest.raises(HandlerImportError, match=r"^ZeroDivisionError: division by zero \(handler.py:1\)$"):
                await driver.do("describe")

    run_async(scenario())


@pytest.mark.parametrize("loop", [False, True])
def test_the_current_folder_is_not_searched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, loop: bool) -> None:
    """A `json.py` of the team does not replace Python's, unless the worker puts its folder first."""
    (tmp_path / "json.py").write_text("raise RuntimeError('not this one')\n")
    monkeypatch.chdir(tmp_path)

    async def scenario() -> None:
        async with pool_driver("own_signal_handlers:make", {"loop": loop}) as driver:
            assert isinstance(await driver.do("describe"), Returned)
            assert bool(driver.processes.each_imports) is loop

    run_async(scenario())
