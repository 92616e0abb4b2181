"""`penstock simulate`, beyond what transcripts cover: plots, git, patches, the random seed and time."""

import json
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import pytest

from penstock_dev.simulating.case import pattern, spread


class CommandResult(Protocol):
    code: int
    out: str
    err: str


Run = Callable[..., CommandResult]
BURST = ("--pattern", "burst", "--rate", "20", "--lasts", "10m", "--handling", "2s", "--env", "production")


def runs_of(result: CommandResult) -> list[dict[str, Any]]:
    assert result.code == 0, result.err
    runs: list[dict[str, Any]] = json.loads(result.out)["runs"]
    return runs


@pytest.mark.usefixtures("repository")
def test_the_same_random_seed_gives_the_same_result(penstock: Run) -> None:
    """Byte for byte; another seed gives another result."""
    day = (
        "simulate",
        "resize",
        "--rate",
        "5",
        "--lasts",
        "2h",
        "--handling",
        "1s",
        "--handling-p99",
        "9s",
        "-e",
        "dev",
    )
    first, again, other = (penstock(*day, "--json", "--seed", seed) for seed in ("3", "3", "4"))
    assert first.out == again.out
    assert first.out != other.out


def test_matplotlib_is_loaded_only_for_plots(repository: Path) -> None:
    code = (
        "import sys; from penstock.command import app;"
        "app(['simulate', 'resize', '--rate', '1', '--lasts', '1m', '-e', 'dev'], standalone_mode=False);"
        "print('matplotlib' in sys.modules)"
    )
    result = subprocess.run([sys.executable, "-c", code], cwd=repository, check=True, capture_output=True, text=True)
    assert result.stdout.endswith("False\n")


STEADY = ("--pattern", "steady", "--rate", "20", "--lasts", "20m", "--handling", "2s", "--env", "production", "--json")


@pytest.mark.usefixtures("repository")
def test_an_outage_of_redis_loses_no_message(penstock: Run) -> None:
    """Producers send the messages that they held back at once, and all are done."""
    [normal] = runs_of(penstock("simulate", "resize", *STEADY))
    [away] = runs_of(penstock("simulate", "resize", *STEADY, "--redis-away", "10m+5m"))
    assert away["sent"] == away["done"] == normal["done"] == 24_000
    assert away["waiting_at_most"] > 20 * 280 > normal["waiting_at_most"]
    assert away["taken_over"] == normal["taken_over"] == 0


@pytest.mark.usefixtures("repository")
def test_messages_of_lost_workers_are_taken_over(penstock: Run) -> None:
    """New messages wait in Redis until the workers are back."""
    [away] = runs_of(penstock("simulate", "resize", *STEADY, "--workers-away", "10m+5m"))
    assert away["sent"] == away["done"] == 24_000
    assert away["taken_over"] > 0
    assert away["waited"]["longest"] >= 300


@pytest.mark.parametrize("suffix", ["svg", "png"])
def test_a_plot_of_the_same_run_has_the_same_bytes(repository: Path, penstock: Run, suffix: str) -> None:
    for name in ("one", "other"):
        assert penstock("simulate", "resize", *BURST, "--draw", f"{name}.{suffix}").code == 0
    assert (repository / f"one.{suffix}").read_bytes() == (repository / f"other.{suffix}").read_bytes()


def test_a_comparison_plots_both_specs(repository: Path, penstock: Run) -> None:
    (repository / "specs/eager.yaml").write_text(
        (repository / "specs/resize.yaml")
        .read_text()
        .replace("name: resize", "name: eager")
        .replace("min: 0", "min: 2")
    )
    result = penstock("simulate", "resize", *BURST, "--compare", "eager", "--oldest-under", "1m", "--draw", "both.svg")
    assert result.code == 0
    text = " ".join("".join(one.itertext()) for one in ET.parse(repository / "both.svg").iter())  # noqa: S314 - ours
    assert "resize: ready" in text
    assert "eager: wanted" in text
    assert "target 1m" in text


def test_a_sweep_plots_the_current_and_the_cheapest_value(repository: Path, penstock: Run) -> None:
    words = ("--oldest-under", "1m", "--sweep", "scaling.replicas.max=10,30", "--draw", "sweep.svg")
    assert penstock("simulate", "resize", *BURST, *words).code == 0
    text = " ".join("".join(one.itertext()) for one in ET.parse(repository / "sweep.svg").iter())  # noqa: S314 - ours
    assert "current: ready" in text
    assert "10: ready" in text


def test_a_spec_is_compared_with_a_git_revision(repository: Path, penstock: Run, git: Callable[..., None]) -> None:
    """In the same environment, under the same traffic."""
    git("init")
    git("add", ".")
    git("commit", "-m", "before")
    git("tag", "v1")
    before = runs_of(penstock("simulate", "resize", *BURST, "--json"))[0]
    path = repository / "specs/resize.yaml"
    path.write_text(path.read_text().replace("max: 20", "max: 3"))
    now, was = runs_of(penstock("simulate", "resize", *BURST, "--json", "--compare", "v1"))
    assert (now["name"], was["name"]) == ("now", "v1")
    assert was | {"name": ""} == before
    assert now["replicas"]["most"] == 3
    assert now["waited"]["longest"] > was["waited"]["longest"]


def test_specs_with_one_name_are_distinguished_by_their_files(repository: Path, penstock: Run) -> None:
    other = repository / "other.yaml"
    other.write_text((repository / "specs/resize.yaml").read_text().replace("max: 20", "max: 3"))
    runs = runs_of(penstock("simulate", "resize", *BURST, "--json", "--compare", "other.yaml"))
    assert [one["name"] for one in runs] == ["specs/resize.yaml", "other.yaml"]


def test_patches_of_the_scaled_object_are_simulated(repository: Path, penstock: Run) -> None:
    """The deployed manifest counts, not the spec's fields alone."""
    path = repository / "specs/resize.yaml"
    patch = "{target: ScaledObject, op: replace, path: /spec/maxReplicaCount, value: 4, reason: a test}"
    path.write_text(f"{path.read_text()}patches:\n  - {patch}\n")
    result = penstock("simulate", "resize", *BURST, "--json")
    assert runs_of(result)[0]["replicas"]["most"] == 4


def test_a_sweep_of_a_range_finds_the_cheapest_value(repository: Path, penstock: Run) -> None:
    """The best number of pods is found among hundreds.

    Steady work of 20 messages per second that take 2 s fills 40 slots, which are 10 pods of 4. Fewer pods never keep
    up, and each additional permanent pod costs one pod-hour per hour.
    """
    words = ("--pattern", "steady", "--rate", "20", "--lasts", "1h", "--handling", "2s", "--env", "production")
    path = repository / "specs/resize.yaml"
    path.write_text(path.read_text().replace("min: 0, max: 20", "min: 1, max: 400"))
    path.write_text(path.read_text().replace("backlog_per_replica: 8", "backlog_per_replica: 1000000"))
    result = penstock(
        "simulate", "resize", *words, "--oldest-under", "30s", "--json", "--sweep", "scaling.replicas.min=1..400"
    )
    assert result.code == 0, result.err
    swept = json.loads(result.out)
    assert swept["cheapest"] == "10"
    assert len(swept["tried"]) <= 40


@pytest.mark.usefixtures("repository")
def test_a_day_is_simulated_quickly(penstock: Run) -> None:
    """The time is printed but not checked."""
    started_at = time.process_time()
    result = penstock(
        "simulate", "resize", "--rate", "20", "--handling", "2s", "--handling-p99", "9s", "-e", "production"
    )
    print(f"a day: {time.process_time() - started_at:.2f} s of CPU")  # noqa: T201 - shown with -s
    assert result.code == 0


def test_a_daily_curve_lasts_a_day_by_default() -> None:
    assert pattern("day", 5, None).lasts == 86_400
    assert pattern("burst", 5, None).lasts == 600
    assert pattern("burst", 5, 90_500).lasts == 91


def test_a_p99_spreads_handling_times() -> None:
    assert spread(2, None).points == ((2, 1.0),)
    assert spread(2, 8).mean > 2
