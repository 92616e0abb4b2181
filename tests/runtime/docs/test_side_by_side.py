"""The migration of docs/how-to/migrate/xreadgroup.md: hand-written workers and Penstock's workers share a group."""

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pages
import pytest
from patience import PATIENCE
from servers import Server, wait_for

PAGE = pages.ROOT / "docs/how-to/migrate/xreadgroup.md"
STREAM, GROUP = "streams:mail", "mailers"
MANY = [str(number) for number in range(60)]


class Migration:
    """The repository of the page, on its own Redis."""

    def __init__(self, folder: Path, server: Server) -> None:
        self.folder = folder
        self.server = server
        self.environ = {**os.environ, "REDIS_URL": f"redis://{server.address}", "PENSTOCK_ENV": "dev"}
        (folder / "penstock.yaml").write_text(pages.platform(server.address))
        for block in pages.blocks(PAGE):
            if block.title:
                path = folder / block.title
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(block.text)

    def output_of(self, *command: str) -> str:
        result = subprocess.run(
            self.command_line(command), cwd=self.folder, env=self.environ, capture_output=True, text=True, check=False
        )
        assert result.returncode == 0, result.stderr
        return result.stdout

    @contextmanager
    def running(self, *command: str) -> Iterator[Callable[[], list[str]]]:
        """Run a command for the duration of a block; gives its output so far."""
        log = self.folder / f"{Path(command[-1]).stem}.{len(list(self.folder.glob('*.log')))}.log"
        with log.open("wb") as out:
            process = subprocess.Popen(self.command_line(command), cwd=self.folder, env=self.environ, stdout=out)
        try:
            yield lambda: log.read_text().splitlines()
        finally:
            process.terminate()
            process.wait(PATIENCE)

    @staticmethod
    def command_line(command: tuple[str, ...]) -> list[str]:
        program, *rest = command
        return [sys.executable if program == "python" else str(Path(sys.executable).parent / program), *rest]

    def is_settled(self) -> bool:
        """Whether every message was delivered and acknowledged."""
        [group] = self.listed("XINFO", "GROUPS", STREAM)
        fields = dict(zip(group[::2], group[1::2], strict=True))
        stream = self.listed("XINFO", "STREAM", STREAM)
        newest = stream[stream.index("last-generated-id") + 1]
        return bool(fields["pending"] == 0 and fields["last-delivered-id"] == newest)

    def listed(self, *command: str) -> list[Any]:
        reply = self.server.ask(*command)
        assert isinstance(reply, list), reply
        return reply


@pytest.fixture
def migration(server: Server, tmp_path: Path) -> Migration:
    return Migration(tmp_path, server)


def test_each_message_goes_to_one_worker(migration: Migration) -> None:
    """They share a stream and a group; the sender is unchanged."""
    with migration.running("python", "before/worker.py") as old:
        wait_for(lambda: migration.server.ask("XINFO", "GROUPS", STREAM), "the old worker has created the group")
        with migration.running("penstock", "worker", "mail", "--listen", "off") as new:
            migration.output_of("python", "before/producer.py", *MANY)
            wait_for(migration.is_settled, "every message is acknowledged")
    jobs = Counter(line.split()[1] for line in [*old(), *new()])
    assert jobs == Counter(MANY)


def test_messages_finished_by_old_workers_leave_the_stream(migration: Migration) -> None:
    """Old workers acknowledge and delete no message. The janitor deletes them, and leaves the waiting ones."""
    with migration.running("python", "before/worker.py") as old:
        migration.output_of("python", "before/producer.py", "1", "2", "3")
        wait_for(lambda: len(old()) == 3 and migration.is_settled(), "the old worker has finished every message")
    migration.output_of("python", "before/producer.py", "4")
    assert migration.server.ask("XLEN", STREAM) == 4

    migration.output_of("penstock", "janitor", "--once", "--listen", "off")
    assert migration.server.ask("XLEN", STREAM) == 1

    assert migration.output_of("penstock", "worker", "mail", "--until-idle", "--listen", "off") == "new 4\n"
    assert migration.server.ask("XLEN", STREAM) == 0


def test_the_migration_can_be_reverted(migration: Migration) -> None:
    """Penstock's workers leave a stream and a group that the old loop can use."""
    migration.output_of("python", "before/producer.py", "1")
    assert migration.output_of("penstock", "worker", "mail", "--until-idle", "--listen", "off") == "new 1\n"
    migration.output_of("python", "before/producer.py", "2")
    with migration.running("python", "before/worker.py") as old:
        wait_for(lambda: old() == ["old 2"] and migration.is_settled(), "the old worker has finished the later message")
