"""The handlers of the how-to are jobs' handlers, and stop when they are told to."""

from __future__ import annotations

import asyncio
import importlib
import logging
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pages
import pytest
from event_loop import run_async

PAGE = pages.ROOT / "docs/how-to/scheduler/cancellable-handler.md"


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """What a module of the page has, by its name."""
    for block in pages.blocks(PAGE):
        if block.title:
            file = tmp_path / block.title
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(block.text)
    monkeypatch.syspath_prepend(str(tmp_path))
    mine = [name for name in sys.modules if name.partition(".")[0] == "caching"]
    for name in mine:
        monkeypatch.delitem(sys.modules, name)
    yield lambda name: importlib.import_module(f"caching.{name}")
    for name in [name for name in sys.modules if name.partition(".")[0] == "caching"]:
        del sys.modules[name]
    importlib.invalidate_caches()


def context(**said: object) -> Any:  # noqa: ANN401 - what a handler is told
    told = SimpleNamespace(info=lambda message, **fields: logging.getLogger("page").info(message, extra=fields))
    return SimpleNamespace(**{"fence": 1, "cancelled": False, "log": told, **said})


def test_one_that_waits_is_cancelled_in_its_wait(module: Any) -> None:  # noqa: ANN401 - as above
    """And goes on raising it; undisturbed, it runs to its end."""
    refresh = module("agents").refresh
    job = SimpleNamespace(name="aws/eu-west-1", args={"region": "eu-west-1"})

    async def scenario() -> None:
        await refresh(job, context())
        running = asyncio.create_task(refresh(job, context()))
        await asyncio.sleep(0)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    run_async(scenario())


@pytest.mark.parametrize(("cancelled", "left"), [(True, 2), (False, 0)])
def test_one_in_a_thread_looks(module: Any, tmp_path: Path, cancelled: bool, left: int) -> None:  # noqa: ANN401, FBT001 - as above; a case
    """Before each step."""
    folder = tmp_path / "kept"
    folder.mkdir()
    for name in ("a", "b"):
        (folder / name).touch()
    module("files").sweep(SimpleNamespace(args={"folder": str(folder)}), context(cancelled=cancelled))
    assert len(list(folder.iterdir())) == left
