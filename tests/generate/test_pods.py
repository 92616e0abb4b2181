"""A pod needs only `worker.json`, and logs its digest."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from patience import PATIENCE
from servers import Server

Run = Callable[..., subprocess.CompletedProcess[str]]

SPEC = """\
kind: pipeline
name: {name}
owner: {{team: pets}}
handler: pets:handle
image: registry.example/pets:1
message: {message}
"""
PETS = "class Pet:\n    pass\n\ndef handle(message):\n    print('handled', message['name'], flush=True)\n"


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as server:
        yield server


@pytest.fixture
def pod(repository: Path, penstock: Run, tmp_path: Path) -> Path:
    """A folder with the code and worker files, without specs and without a platform file."""
    (repository / "specs/pets.yaml").write_text(SPEC.format(name="pets", message="{schema: {required: [name]}}"))
    message = "{schema: {model: 'pets:Pet'}, encoding: fields}"
    (repository / "specs/models.yaml").write_text(SPEC.format(name="models", message=message))
    (repository / "specs/models.message.json").write_text('{"properties": {"name": {"type": "string"}}}')
    many = {f"field_{number}": {"enum": [[[number]]]} for number in range(2500)}
    (repository / "specs/large.message.json").write_text(json.dumps({"properties": many}, separators=(",", ":")))
    (repository / "specs/large.yaml").write_text(SPEC.format(name="large", message="{schema: {model: 'pets:Pet'}}"))
    assert penstock("generate").returncode == 0
    pod = tmp_path / "pod"
    pod.mkdir()
    (pod / "pets.py").write_text(PETS)
    for name in ("pets", "models", "large"):
        shutil.copy(repository / f"generated/dev/{name}/worker.json", pod / f"{name}.json")
    return pod


def run(pod: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [str(Path(sys.executable).with_name("penstock")), *words, "--log-format", "json"]
    environ = {"PATH": os.environ["PATH"]}
    return subprocess.run(command, cwd=pod, env=environ, capture_output=True, text=True, check=False, timeout=PATIENCE)


@pytest.mark.parametrize(
    ("name", "fields"),
    [("pets", ("data", '{"name": "Kim"}')), ("models", ("name", "Kim")), ("large", ("data", '{"name": "Kim"}'))],
)
def test_a_worker_needs_only_the_worker_file(pod: Path, server: Server, name: str, fields: tuple[str, str]) -> None:
    """Even if the schema is from a file, or larger than a spec may be."""
    server.ask("XADD", f"streams:{name}", "*", *fields)
    ran = run(pod, "worker", f"{name}.json", "--redis", server.url, "--until-idle", "--listen", "off")
    assert (ran.returncode, ran.stdout) == (0, "handled Kim\n")
    log_lines = [json.loads(line) for line in ran.stderr.splitlines()]
    digest = json.loads((pod / f"{name}.json").read_text())["digest"]
    assert [one["digest"] for one in log_lines if "digest" in one] == [digest]
    assert server.ask("XLEN", f"streams:{name}") == 0


def test_a_worker_file_of_another_environment_is_refused(pod: Path) -> None:
    ran = run(pod, "worker", "pets.json", "--env", "production")
    assert ran.returncode == 2
    assert "`pets.json` was generated for `dev`, not for `production`" in ran.stderr


@pytest.mark.parametrize(
    ("after", "message"),
    [
        ("}", "is not a worker file"),
        ("", "does not match its digest"),
        (None, "cannot use the worker file `pets.json`: there is"),
    ],
)
def test_an_invalid_worker_file_is_refused(pod: Path, after: str | None, message: str) -> None:
    file = pod / "pets.json"
    if after is None:
        file.unlink()
    else:
        file.write_text(file.read_text().replace('"60s"', '"61s"') + after)
    ran = run(pod, "worker", "pets.json")
    assert ran.returncode == 2
    assert message in ran.stderr
    assert "Traceback" not in ran.stderr
