"""The move that docs/how-to/migrate/xreadgroup.md describes: hand-written workers and Penstock's share one group."""

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


class Move:
    """A repository as the page has it, on a Redis of its own."""

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
        ran = subprocess.run(
            self.words(command), cwd=self.folder, env=self.environ, capture_output=True, text=True, check=False
        )
        assert ran.returncode == 0, ran.stderr
        return ran.stdout

    @contextmanager
    def running(self, *command: str) -> Iterator[Callable[[], list[str]]]:
        """Meanwhile; what it has said so far is there to be asked for."""
        told = self.folder / f"{Path(command[-1]).stem}.{len(list(self.folder.glob('*.told')))}.told"
        with told.open("wb") as out:
            process = subprocess.Popen(self.words(command), cwd=self.folder, env=self.environ, stdout=out)
        try:
            yield lambda: told.read_text().splitlines()
        finally:
            process.terminate()
            process.wait(PATIENCE)

    @staticmethod
    def words(command: tuple[str, ...]) -> list[str]:
        program, *rest = command
        return [sys.executable if program == "python" else str(Path(sys.executable).parent / program), *rest]

    def is_settled(self) -> bool:
        """Everything was delivered and acknowledged."""
        [group] = self.listed("XINFO", "GROUPS", STREAM)
        told = dict(zip(group[::2], group[1::2], strict=True))
        stream = self.listed("XINFO", "STREAM", STREAM)
        newest = stream[stream.index("last-generated-id") + 1]
        return bool(told["pending"] == 0 and told["last-delivered-id"] == newest)

    def listed(self, *command: str) -> list[Any]:
        told = self.server.ask(*command)
        assert isinstance(told, list), told
        return told


@pytest.fixture
def move(server: Server, tmp_path: Path) -> Move:
    return Move(tmp_path, server)


def test_each_message_goes_to_one_of_them(move: Move) -> None:
    """Side by side, on one stream and one group, and fed by a sender that knows nothing of it."""
    with move.running("python", "before/worker.py") as old:
        wait_for(lambda: move.server.ask("XINFO", "GROUPS", STREAM), "the old worker has made the group")
        with move.running("penstock", "worker", "mail", "--listen", "off") as new:
            move.output_of("python", "before/producer.py", *MANY)
            wait_for(move.is_settled, "all is done")
    jobs = Counter(line.split()[1] for line in [*old(), *new()])
    assert jobs == Counter(MANY)


def test_what_the_old_ones_finished_leaves_the_stream(move: Move) -> None:
    """They acknowledge and delete nothing. The janitor does, and what waits is left to whoever comes."""
    with move.running("python", "before/worker.py") as old:
        move.output_of("python", "before/producer.py", "1", "2", "3")
        wait_for(lambda: len(old()) == 3 and move.is_settled(), "the old worker has done all")
    move.output_of("python", "before/producer.py", "4")
    assert move.server.ask("XLEN", STREAM) == 4

    move.output_of("penstock", "janitor", "--once", "--listen", "off")
    assert move.server.ask("XLEN", STREAM) == 1

    assert move.output_of("penstock", "worker", "mail", "--until-idle", "--listen", "off") == "new 4\n"
    assert move.server.ask("XLEN", STREAM) == 0


def test_the_way_back_is_open(move: Move) -> None:
    """Penstock's workers leave a stream and a group that the old loop goes on with."""
    move.output_of("python", "before/producer.py", "1")
    assert move.output_of("penstock", "worker", "mail", "--until-idle", "--listen", "off") == "new 1\n"
    move.output_of("python", "before/producer.py", "2")
    with move.running("python", "before/worker.py") as old:
        wait_for(lambda: old() == ["old 2"] and move.is_settled(), "the old worker has done what came later")
