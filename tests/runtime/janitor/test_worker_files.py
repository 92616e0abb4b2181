"""A janitor reads generated files as in its pod, without specs and platform file."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from janitors import JanitorRepository
from patience import PATIENCE
from servers import wait_for

from penstock.janitor.worker_files import WorkerFiles
from penstock.keys import READY
from penstock.observe.events import Event
from penstock_spec import worker_file
from penstock_spec.findings import CannotGoOn

Make = Callable[..., JanitorRepository]
NAMES = ("first", "second")


def mount(repository: JanitorRepository) -> Path:
    """Mounts the generated files like Kubernetes, by links that are switched at once."""
    command = [sys.executable, "-m", "penstock", "generate"]
    result = subprocess.run(command, cwd=repository.folder, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    folder = repository.folder / "pod"
    (folder / "..2026").mkdir(parents=True)
    (folder / "..data").symlink_to("..2026")
    for name in NAMES:
        (repository.folder / f"generated/dev/{name}/worker.json").rename(folder / f"..2026/{name}.json")
        (folder / f"{name}.json").symlink_to(f"..data/{name}.json")
        (repository.folder / f"specs/{name}.yaml").unlink()
    (repository.folder / "penstock.yaml").unlink()
    return folder


def test_once_makes_a_round_over_each_pipeline_of_a_folder(repository: Make) -> None:
    repo = repository(*NAMES)
    for driver in repo.drivers.values():
        driver.create_group()
        driver.add(1)
        driver.park(driver.read(driver.join_group()))
    janitor = repo.janitor("--once", str(mount(repo)))
    assert janitor.process.wait(PATIENCE) == 0, janitor.log()
    assert all(len(driver.owned(READY)) == 1 for driver in repo.drivers.values())


def test_it_serves_each_pipeline_of_a_folder(repository: Make) -> None:
    """The age of its oldest message and the digest of its file."""
    repo = repository(*NAMES)
    folder = mount(repo)
    driver = repo.drivers["second"]
    driver.create_group()
    driver.ask("XADD", driver.keys.stream, f"{driver.now() - 500_000}-0", "data", "{}")
    janitor = repo.janitor(str(folder))
    janitor.until(Event.HTTP_LISTENING)
    wait_for(lambda: janitor.page("/pipelines/second/oldest")[0] == 200, "the age of the oldest message is served")
    assert json.loads(janitor.page("/pipelines/second/oldest")[1])["seconds"] > 400
    assert json.loads(janitor.page("/pipelines/first/oldest")[1]) == {"seconds": 0}
    for name in NAMES:
        digest = json.loads((folder / f"{name}.json").read_text())["digest"]
        assert janitor.number("penstock_info", pipeline=name, digest=digest, role="janitor") == 1
    assert janitor.end() == 0


def test_it_stops_when_its_files_change(repository: Make) -> None:
    """Kubernetes switches all of them at once. The next process reads the new files and stays."""
    repo = repository(*NAMES)
    folder = mount(repo)
    first = repo.janitor(str(folder))
    first.until(Event.JANITOR_BECAME_LEADER)
    (folder / "..2026").rename(folder / "..2027")
    file = folder / "..2027/second.json"
    file.write_text(json.dumps(json.loads(file.read_text())))
    (folder / "..new").symlink_to("..2027")
    (folder / "..new").rename(folder / "..data")
    first.until(Event.FILES_CHANGED)
    assert first.process.wait(PATIENCE) == 0
    second = repo.janitor(str(folder))
    second.until(Event.JANITOR_BECAME_LEADER)
    assert second.end() == 0
    assert not second.events(Event.FILES_CHANGED)


def test_only_named_files_are_maintained(repository: Make) -> None:
    repo = repository(*NAMES)
    for driver in repo.drivers.values():
        driver.create_group()
        driver.add(1)
        driver.park(driver.read(driver.join_group()))
    janitor = repo.janitor("--once", str(mount(repo) / "second.json"))
    assert janitor.process.wait(PATIENCE) == 0, janitor.log()
    assert {name: len(driver.owned(READY)) for name, driver in repo.drivers.items()} == {"first": 0, "second": 1}


def rewrite(file: Path, environment: str = "dev", **around: object) -> None:
    """The same file as if generated from another platform file."""
    worker = worker_file.read(file.read_bytes(), file.name)
    changed = worker.around.model_copy(update=around)
    file.write_text(worker_file.write(environment, worker.spec, changed, worker.schema)[0])


def broken(folder: Path) -> None:
    file = folder / "second.json"
    file.write_text(file.read_text().replace('"10s"', '"11s"'))


def emptied(folder: Path) -> None:
    for file in folder.glob("*.json"):
        file.unlink()


def other_redis(folder: Path) -> None:
    file = folder / "second.json"
    redis = worker_file.read(file.read_bytes(), file.name).around.redis
    rewrite(file, redis=redis.model_copy(update={"database": 1}))


@pytest.mark.parametrize(
    ("change", "error", "hint"),
    [
        (emptied, "is a folder without a worker file", "run `penstock generate`"),
        (broken, "`second.json` does not match its digest", "run `penstock generate`"),
        (
            lambda folder: (folder / "second.json").write_text("{"),
            "`second.json` is not a worker file",
            "run `penstock generate`",
        ),
        (lambda folder: (folder / "..2026/second.json").unlink(), "second.json`: there is no such file", ""),
        (
            lambda folder: rewrite(folder / "second.json", environment="production"),
            "`first` and `second` were generated for two environments, `dev` and `production`",
            "start a janitor for each",
        ),
        (
            lambda folder: rewrite(folder / "second.json", namespace="elsewhere"),
            "`first` and `second` were generated for two namespaces, `tests` and `elsewhere`",
            "start a janitor for each",
        ),
        (other_redis, "`first` and `second` were generated for two Redis servers", "one run of `penstock generate`"),
        (
            lambda folder: (folder / "third.json").symlink_to("first.json"),
            "two worker files have the name `first`",
            "remove one of them",
        ),
    ],
    ids=["empty", "edited", "broken", "gone", "environments", "namespaces", "redises", "twice"],
)
def test_inconsistent_files_are_refused(
    repository: Make, change: Callable[[Path], object], error: str, hint: str
) -> None:
    """It prints the reason and exits with 2 before it calls Redis."""
    repo = repository(*NAMES)
    folder = mount(repo)
    change(folder)
    janitor = repo.janitor(str(folder))
    assert janitor.process.wait(PATIENCE) == 2
    assert error in janitor.log()
    assert hint in janitor.log()
    assert "Traceback" not in janitor.log()


def test_a_folder_without_read_permission_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Simulated, as root may read everything."""

    def refused(_folder: Path) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "iterdir", refused)
    with pytest.raises(CannotGoOn, match="cannot be read: Permission denied") as error:
        WorkerFiles([tmp_path])
    assert error.value.hint == "give this user read permission"


def test_a_spec_is_not_a_worker_file(repository: Make) -> None:
    """A repository's specs are maintained by environment, not by name."""
    janitor = repository().janitor("specs/trial.yaml")
    assert janitor.process.wait(PATIENCE) == 2
    assert "`specs/trial.yaml` is neither a folder nor a worker file" in janitor.log()
