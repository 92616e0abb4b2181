"""Work over many items at once, in forks of this process: nothing has to be told to them, they know what it knows."""

from __future__ import annotations

import contextlib
import gc
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection
from typing import Any, TypeVar

ItemT = TypeVar("ItemT")
MadeT = TypeVar("MadeT")

MANY = 32
"""Items from which on forks are worth their start."""
SELDOM = 10_000
"""Objects after which a fork looks for those that nobody reaches: it makes many, and few of that sort."""
TOGETHER = 8
"""Items that a fork is given at a time."""

_job: tuple[Callable[[Any], Any], Sequence[Any]]


def mapped(work: Callable[[ItemT], MadeT], items: Sequence[ItemT]) -> Iterator[MadeT]:
    """What `work` makes of each, in their order. One after the other where there are few, or forking is not safe."""
    at_once = processors()
    if not _may_fork() or at_once == 1 or len(items) < MANY:
        yield from map(work, items)
        return
    yield work(items[0])  # what it loads and remembers, every fork has then
    global _job  # noqa: PLW0603 - how it comes into the forks
    _job = (work, items)
    gc.freeze()  # so that a fork's collections leave what it shares alone
    try:
        with multiprocessing.get_context("fork").Pool(at_once, _begin) as pool:
            yield from pool.imap(_run, range(1, len(items)), chunksize=TOGETHER)
    finally:
        gc.unfreeze()
        del _job


def begun(work: Callable[[], MadeT]) -> Callable[[], MadeT]:
    """What `work` makes, for whoever asks later: a fork is at it meanwhile, where there is a processor for one.

    It is told once, to this process. Another fork of it that asks works for itself.
    """
    if not _may_fork() or processors() == 1:
        return work
    context = multiprocessing.get_context("fork")
    there, here = context.Pipe(duplex=False)
    fork = context.Process(target=_tell, args=(work, here), daemon=True)
    fork.start()
    here.close()
    asks = os.getpid()

    def made() -> MadeT:
        if os.getpid() != asks:
            return work()
        try:
            told: MadeT = there.recv()
        except EOFError:  # it was killed
            told = work()
        there.close()
        fork.join()
        return told

    return made


def _tell(work: Callable[[], object], there: Connection) -> None:
    _begin()
    with contextlib.suppress(BrokenPipeError):  # nobody asks any more
        there.send(work())


def _may_fork() -> bool:
    return threading.active_count() == 1 and "fork" in multiprocessing.get_all_start_methods()


def processors() -> int:
    """How many this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _begin() -> None:
    """Ctrl-C is for the process that was started; it ends its forks."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.enable()
    gc.set_threshold(SELDOM)


def _run(index: int) -> object:
    work, items = _job
    return work(items[index])
