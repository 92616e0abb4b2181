"""A worker reads its memory limit, and estimates how many suspects may run in child processes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from penstock.worker.memory import (
    LEAST_READ,
    PROCESS,
    READS,
    MeasuredMemory,
    Own,
    available_memory,
    free_memory,
    own_memory,
)
from penstock.worker.suspect_pace import UNMEASURED

MEBIBYTE = 1 << 20
UNLIMITED = "9223372036854771712"


def cgroups(folder: Path, membership: str, files: Mapping[str, str]) -> int | None:
    """What `free_memory` reads from these files."""
    (folder / "membership").write_text(membership)
    for name, text in files.items():
        file = folder / "root" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return free_memory(folder / "root", folder / "membership")


def group(path: str, limit: str, used: int, inactive: int = 0, *, version: int = 2) -> dict[str, str]:
    limit_name, usage_name = ("memory.max", "memory.current")
    if version == 1:
        limit_name, usage_name = ("memory.limit_in_bytes", "memory.usage_in_bytes")
    stat = f"anon 5\n{'inactive_file' if version == 2 else 'total_inactive_file'} {inactive}\n"
    base = f"{path}/" if path else ""
    return {f"{base}{limit_name}": limit, f"{base}{usage_name}": f"{used}\n", f"{base}memory.stat": stat}


V2 = {"cgroup.controllers": "cpu memory\n"}


def test_the_limit_of_a_container(tmp_path: Path) -> None:
    """Its own group is the root that it sees; inactive pages of files count as free."""
    assert cgroups(tmp_path, "0::/\n", {**V2, **group("", "1000\n", 700, 50)}) == 350


def test_the_tightest_limit_counts(tmp_path: Path) -> None:
    """A group above may leave less than the own one."""
    files = {**V2, **group("pods", "1000\n", 950), **group("pods/one", "500\n", 100), **group("pods/one/app", "max", 9)}
    assert cgroups(tmp_path, "0::/pods/one/app\n", files) == 50


def test_no_limit(tmp_path: Path) -> None:
    """Neither version has one; nothing changes on such a machine."""
    first = {f"memory/{name}": text for name, text in group("", UNLIMITED, 9, version=1).items()}
    membership = "4:cpu,memory:/\n0::/\n"
    assert cgroups(tmp_path, membership, {**V2, **group("", "max\n", 700), **first}) is None
    assert free_memory(tmp_path / "nowhere", tmp_path / "nothing") is None


def test_the_first_version_in_a_container(tmp_path: Path) -> None:
    """The group that the kernel names does not exist below the root that the container sees."""
    files = {f"memory/{name}": text for name, text in group("", "800\n", 300, 100, version=1).items()}
    assert cgroups(tmp_path, "4:memory:/kubepods/pod1/abc\n0::/\n", files) == 600


def test_the_own_memory_is_read() -> None:
    """This process has some; a system without the file has no answer."""
    own = own_memory()
    assert own is not None
    assert 0 < own.private < own.resident <= own.peak
    assert own_memory(Path("/nowhere")) is None


class Pod:
    """A process of changing size under a limit."""

    def __init__(self, limit: int | None, imported: int) -> None:
        self.limit = limit
        self.resident = self.peak = imported

    def own(self) -> Own:
        return Own(self.resident, self.resident, self.peak)

    def free(self) -> int | None:
        return None if self.limit is None else self.limit - self.resident

    def run(self, size: int) -> None:
        self.peak = max(self.peak, self.resident + size)


def memory(limit: int | None, imported: int = 110, per_message: int | None = None) -> tuple[Pod, MeasuredMemory]:
    """A pod, in MiB."""
    pod = Pod(None if limit is None else limit * MEBIBYTE, imported * MEBIBYTE)
    return pod, MeasuredMemory(pod.free, pod.own, per_message=None if per_message is None else per_message * MEBIBYTE)


def test_without_a_limit_suspects_may_use_half_of_what_the_machine_has() -> None:
    """A few where that cannot be read. Reads are not limited."""
    pod, measured = memory(None)
    assert measured.room_for_suspects(0, prepared=False) == UNMEASURED
    assert measured.room_for_suspects(UNMEASURED, prepared=False) == 0
    assert measured.read_budget() is None
    measured = MeasuredMemory(pod.free, pod.own, available=lambda: 4096 * MEBIBYTE)
    assert measured.room_for_suspects(0, prepared=False) == (2048 - 110) * MEBIBYTE // (110 * MEBIBYTE + PROCESS)


def test_the_available_memory_is_read(tmp_path: Path) -> None:
    """A system without the file has no answer."""
    (tmp_path / "meminfo").write_text("MemTotal:  100 kB\nMemAvailable:   50 kB\n")
    assert available_memory(tmp_path / "meminfo") == 50 * 1024
    assert available_memory(tmp_path / "none") is None


def test_a_pod_for_one_copy_has_no_room() -> None:
    """The fork server alone would need as much as the worker's import."""
    pod, measured = memory(256)
    assert measured.room_for_suspects(0, prepared=False) == 0
    pod.run(50 * MEBIBYTE)
    assert measured.room_for_suspects(0, prepared=False) == 0


def test_a_large_pod_has_room_for_several() -> None:
    """The import once, then a message and a process for each."""
    pod, measured = memory(512)
    pod.run(50 * MEBIBYTE)
    left = (512 - 110 - 50 - 110) * MEBIBYTE
    assert measured.room_for_suspects(0, prepared=False) == left // (50 * MEBIBYTE + PROCESS) == 4
    assert measured.room_for_suspects(2, prepared=False) == 2, "those that run may still grow"
    assert measured.room_for_suspects(0, prepared=True) == 6, "the import is there already"


def test_a_message_is_the_growth_by_the_most_at_a_time() -> None:
    """Sixteen messages together made the worker grow by 160 MiB."""
    pod, measured = memory(400, imported=40)
    measured.sample(16)
    pod.run(160 * MEBIBYTE)
    left = (400 - 40 - 160 - 40) * MEBIBYTE
    assert measured.room_for_suspects(0, prepared=False) == left // (10 * MEBIBYTE + PROCESS)


def test_a_small_handler_has_room_in_a_small_pod() -> None:
    """Before the first message, a message is guessed to need as much as the import."""
    _, measured = memory(256, imported=35)
    assert measured.room_for_suspects(0, prepared=False) >= 1


def test_the_limit_of_a_message_is_what_it_may_need() -> None:
    """`work.memory_limit` replaces guess and measurement."""
    _, measured = memory(512, imported=40, per_message=400)
    assert measured.room_for_suspects(0, prepared=False) == 1
    _, measured = memory(512, imported=40, per_message=430)
    assert measured.room_for_suspects(0, prepared=False) == 0


def test_a_read_takes_a_part_of_the_free_memory() -> None:
    """A body needs memory as bytes and as a value; a large pod reads no more than others."""
    assert memory(256, imported=56)[1].read_budget() == 50 * MEBIBYTE
    assert memory(4096)[1].read_budget() == READS
    assert memory(111)[1].read_budget() == LEAST_READ
