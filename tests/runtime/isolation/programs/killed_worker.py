"""A worker that tests kill: `killed_worker.py FOLDER TARGET ACTION...` runs actions and prints their process ids."""

from __future__ import annotations

import asyncio
import sys

from penstock.isolation import ChildPool, ProgressReport, RunRequest


async def main(folder: str, target: str, actions: list[str]) -> None:
    """Start the actions, print their process ids, and wait forever."""
    processes = ChildPool(target, {}, memory_limit=None, path=(folder,))

    def print_progress(progress: ProgressReport) -> None:
        print(progress.value, flush=True)  # noqa: T201 - the test waits for this line

    deliveries = [RunRequest(b"%d-0" % n, ((b"do", do.encode()),), 1, 1, "me") for n, do in enumerate(actions)]
    await asyncio.gather(*(processes.run(one, alone=False, on_progress=print_progress) for one in deliveries))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
