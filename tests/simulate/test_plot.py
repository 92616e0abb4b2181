"""Plots of runs."""

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from penstock_dev.simulating.curves import MAX_POINTS, Curves
from penstock_dev.simulating.plot import plot

TITLE = 'media-cluster (production): a burst & a "flood" <1m>'


def run(name: str = "", lasts: int = 3600) -> Curves:
    waits = [max(0.0, 900 - abs(second - 1200)) for second in range(lasts)]
    pods = [float(-(-one // 32)) for one in waits]
    return Curves(name, [5.0] * lasts, waits, [one / 10 for one in waits], pods, [0.0, *pods[:-1]]).thinned()


@pytest.mark.parametrize("suffix", [".svg", ".png"])
def test_the_same_run_gives_the_same_bytes(suffix: str, tmp_path: Path) -> None:
    """The plot contains no date, program version or random name."""
    one, other = tmp_path / f"one{suffix}", tmp_path / f"other{suffix}"
    plot(one, TITLE, [run("now"), run("before")], 60)
    plot(other, TITLE, [run("now"), run("before")], 60)
    assert one.read_bytes() == other.read_bytes()
    assert one.stat().st_size > 10_000


def test_an_svg_plot_has_readable_labels(tmp_path: Path) -> None:
    """Each panel has its unit, the target its line, and each run its name."""
    path = tmp_path / "run.svg"
    plot(path, TITLE, [run("now"), run("before")], 60)
    tree = ET.parse(path)  # noqa: S314 - we have just written it
    texts = " ".join("".join(one.itertext()) for one in tree.iter("{http://www.w3.org/2000/svg}text"))
    for word in ("(messages/s)", "(messages)", "oldest message", "(pods)", "target 1m", "now: ready", "before: wanted"):
        assert word in texts
    assert TITLE in texts


def test_replicas_have_whole_ticks(tmp_path: Path) -> None:
    pods = [float(second // 1000 % 12) for second in range(12_000)]
    others = [100.0] * len(pods)
    plot(tmp_path / "run.svg", TITLE, [Curves("", others, others, others, pods, pods).thinned()], None)
    texts = [one.text or "" for one in ET.parse(tmp_path / "run.svg").iter("{http://www.w3.org/2000/svg}text")]  # noqa: S314 - we have just written it
    assert "6" in texts
    assert not [one for one in texts if one.endswith(".5")]


def test_a_png_plot_is_a_png(tmp_path: Path) -> None:
    path = tmp_path / "run.png"
    plot(path, TITLE, [run()], None)
    assert path.read_bytes().startswith(b"\x89PNG\r\n")


def test_an_empty_run_can_be_plotted(tmp_path: Path) -> None:
    nothing = Curves("", [0.0], [0.0], [0.0], [0.0], [0.0])
    plot(tmp_path / "run.svg", TITLE, [nothing], None)
    assert (tmp_path / "run.svg").exists()


def test_thinning_keeps_peaks() -> None:
    """A peak of one second is visible in a whole day."""
    lasts = 86_400
    peak = [0.0] * lasts
    peak[50_001] = 77
    thin = Curves("", [0.5] * lasts, peak, peak, peak, peak).thinned()
    assert len(thin.times) == len(thin.backlog) == len(thin.arrivals) <= MAX_POINTS
    assert max(thin.backlog) == max(thin.oldest) == max(thin.wanted) == max(thin.ready) == 77
    assert thin.times[-1] + thin.step >= lasts
    assert sum(thin.arrivals) / len(thin.arrivals) == pytest.approx(0.5)
