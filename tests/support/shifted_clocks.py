"""Wall clocks that are wrong or jump, each of one process: a small library is loaded before all others.

Monotonic clocks stay as they are, as on a machine whose clock somebody sets. A C compiler must be on the machine.
"""

from __future__ import annotations

import shutil
import struct
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from servers import Server

SOURCE = Path(__file__).with_name("shifted_clock.c")
BILLION = 1_000_000_000


def compiler() -> str | None:
    """The C compiler of this machine, if there is one."""
    return shutil.which("cc") or shutil.which("gcc")


class ShiftedClock:
    """A clock for processes that are started with `environ`."""

    def __init__(self, folder: Path, name: str) -> None:
        self._file = folder / f"{name}.clock"
        self._library = folder / "shifted_clock.so"
        if not self._library.exists():
            program = compiler()
            assert program, "no C compiler"
            command = [program, "-shared", "-fPIC", "-O2", "-o", str(self._library), str(SOURCE), "-ldl"]
            subprocess.run(command, check=True)
        self._file.write_bytes(struct.pack("=q", 0))

    def set(self, seconds: float) -> None:
        """From now on, the clock is ahead by this much, or behind."""
        with self._file.open("r+b") as file:
            file.write(struct.pack("=q", int(seconds * BILLION)))

    def environ(self) -> dict[str, str]:
        return {"LD_PRELOAD": str(self._library), "SHIFTED_CLOCK": str(self._file)}


class ShiftedServer(Server):
    """A server with such a clock."""

    def __init__(self, clock: ShiftedClock, *, appendonly: bool = False) -> None:
        super().__init__(appendonly=appendonly)
        self._clock = clock

    def command(self) -> Sequence[str | Path]:
        return ("env", *(f"{name}={value}" for name, value in self._clock.environ().items()), *super().command())


class OwnClock:
    """The wall clock of this process as Python sees it, shifted until the end of the block."""

    def __init__(self) -> None:
        self._seconds = 0.0
        self._real: tuple[Callable[[], float], Callable[[], int]] = (time.time, time.time_ns)

    def set(self, seconds: float) -> None:
        self._seconds = seconds

    def __enter__(self) -> Self:
        now, now_ns = self._real
        vars(time)["time"] = lambda: now() + self._seconds
        vars(time)["time_ns"] = lambda: now_ns() + int(self._seconds * BILLION)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        vars(time)["time"], vars(time)["time_ns"] = self._real
