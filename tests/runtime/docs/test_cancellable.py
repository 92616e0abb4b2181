"""The handlers of the how-to are handlers of jobs, and stop when they are cancelled."""

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
    """Imports a module of the page by its name."""
    for block in pages.blocks(PAGE):
        if block.title:
            file = tmp_path / block.title
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(block.text)
    monkeypatch.syspath_prepend(str(tmp_path))
    loaded = [name for name in sys.modules if name.partition(".")[0] == "caching"]
    for name in loaded:
        monkeypatch.delitem(sys.modules, name)
    yield lambda name: importlib.import_module(f"caching.{name}")
    for name in [name for name in sys.modules if name.partition(".")[0] == "caching"]:
        del sys.modules[name]
    importlib.invalidate_caches()


def context(**fields: object) -> Any:  # noqa: ANN401 - the context of a handler
    log = SimpleNamespace(info=lambda message, **extra: logging.getLogger("page").info(message, extra=extra))
    return SimpleNamespace(**{"fence": 1, "cancelled": False, "log": log, **fields})


def test_a_coroutine_is_cancelled_while_it_waits(module: Any) -> None:  # noqa: ANN401 - as above
    """It raises the cancellation again; without one it runs to its end."""
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
def test_a_function_in_a_thread_checks(module: Any, tmp_path: Path, cancelled: bool, left: int) -> None:  # noqa: ANN401, FBT001 - as above; a case
    """Before each step, whether it is cancelled."""
    folder = tmp_path / "cache"
    folder.mkdir()
    for name in ("a", "b"):
        (folder / name).touch()
    module("files").sweep(SimpleNamespace(args={"folder": str(folder)}), context(cancelled=cancelled))
    assert len(list(folder.iterdir())) == left
