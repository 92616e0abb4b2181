"""A worker that will be killed: `parent.py FOLDER TARGET DEED...` starts these, and prints the processes of all."""

from __future__ import annotations

import asyncio
import sys

from penstock.isolation import ChildPool, ProgressReport, RunRequest


async def main(folder: str, target: str, deeds: list[str]) -> None:
    """Start them, print their processes, and wait for ever."""
    processes = ChildPool(target, {}, memory_limit=None, path=(folder,))

    def told(progress: ProgressReport) -> None:
        print(progress.value, flush=True)  # noqa: T201 - who reads it waits for it

    deliveries = [RunRequest(b"%d-0" % n, ((b"do", do.encode()),), 1, 1, "me") for n, do in enumerate(deeds)]
    await asyncio.gather(*(processes.run(one, alone=False, on_progress=told) for one in deliveries))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
