"""Process many items in parallel in forks of this process, which share its memory."""

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
ResultT = TypeVar("ResultT")

MANY = 32
"""With fewer items, forks cost more than they save."""
SELDOM = 10_000
"""The garbage collection threshold of a fork: it allocates many objects, and few are cyclic garbage."""
TOGETHER = 8
"""The number of items in a chunk of work."""

_job: tuple[Callable[[Any], Any], Sequence[Any]]


def map_in_forks(work: Callable[[ItemT], ResultT], items: Sequence[ItemT]) -> Iterator[ResultT]:
    """The results of `work` in the order of the items; sequentially if there are few, or if forking is not safe."""
    processes = processors()
    if not _may_fork() or processes == 1 or len(items) < MANY:
        yield from map(work, items)
        return
    yield work(items[0])  # every fork inherits what this loads and caches
    global _job  # noqa: PLW0603 - the forks inherit it
    _job = (work, items)
    gc.freeze()  # collections in a fork skip the shared objects
    try:
        with multiprocessing.get_context("fork").Pool(processes, _prepare) as pool:
            yield from pool.imap(_run, range(1, len(items)), chunksize=TOGETHER)
    finally:
        gc.unfreeze()
        del _job


def start_in_fork(work: Callable[[], ResultT]) -> Callable[[], ResultT]:
    """Start `work` in a fork, if there is a free processor; the returned function waits for its result.

    Only this process can take the result. In another fork the function does the work again.
    """
    if not _may_fork() or processors() == 1:
        return work
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    fork = context.Process(target=_send_result, args=(work, sender), daemon=True)
    fork.start()
    sender.close()
    owner = os.getpid()

    def result() -> ResultT:
        if os.getpid() != owner:
            return work()
        try:
            received: ResultT = receiver.recv()
        except EOFError:  # it was killed
            received = work()
        receiver.close()
        fork.join()
        return received

    return result


def _send_result(work: Callable[[], object], sender: Connection) -> None:
    _prepare()
    with contextlib.suppress(BrokenPipeError):  # the parent has closed the pipe
        sender.send(work())


def _may_fork() -> bool:
    return threading.active_count() == 1 and "fork" in multiprocessing.get_all_start_methods()


def processors() -> int:
    """The number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _prepare() -> None:
    """Leave Ctrl-C to the parent process, which stops its forks."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.enable()
    gc.set_threshold(SELDOM)


def _run(index: int) -> object:
    work, items = _job
    return work(items[index])
