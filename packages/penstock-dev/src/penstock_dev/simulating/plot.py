"""Plots runs: arrivals, backlog, age and replicas. The same run gives the same bytes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
from matplotlib import RcParams
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator, MultipleLocator

from penstock_dev.simulating.clock import clock
from penstock_spec.values.display import count, rate, span

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from penstock_dev.simulating.curves import Curves

FORMATS = {".svg": {"Date": None, "Creator": None}, ".png": {"Software": None}}
"""The formats, and the metadata to omit: the date and the program."""
COLOURS = ("#2563a8", "#d9722e")
"""The first run and the one to compare with; distinguishable with colour blindness."""
INK, PALE, TARGET = "#333333", "#dddddd", "#b3261e"
STEPS = (1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400, 172_800)
"""Seconds between two ticks of the time axis; the first that gives few enough."""
MAX_TICKS = 12
MAX_LINES = 5
"""Maximum grid lines of a panel."""
LEGEND: dict[str, Any] = {"loc": "lower right", "bbox_to_anchor": (1, 0.97), "borderaxespad": 0, "fontsize": 8.5}
"""Above the panel, where the legend hides nothing."""


def plot(path: Path, title: str, runs: Sequence[Curves], target: float | None) -> None:
    """Write the plot in the format of the suffix. `target` is the maximum age of the oldest message, in seconds."""
    with mpl.rc_context(_style()):
        figure = Figure(figsize=(10, 8), dpi=144, layout="constrained")
        figure.suptitle(title, fontsize=12, fontweight="bold", x=0.01, ha="left")
        panels = figure.subplots(4, 1, sharex=True, height_ratios=(2, 3, 3, 3))
        for run, colour in zip(runs, COLOURS, strict=False):
            _panels(panels, run, colour)
        _label(panels[0], "arrivals\n(messages/s)", max(max(run.arrivals) for run in runs))
        _label(panels[1], "backlog\n(messages)", max(max(run.backlog) for run in runs))
        _label(panels[2], "oldest message\n(age)", oldest := max(target or 0, *(max(run.oldest) for run in runs)))
        panels[2].yaxis.set_major_locator(_times(oldest, MAX_LINES))
        panels[2].yaxis.set_major_formatter(FuncFormatter(lambda age, _: span(age * 1000) if age else "0"))
        _label(panels[3], "replicas\n(pods)", max(max(*run.wanted, *run.ready) for run in runs))
        panels[3].yaxis.set_major_locator(MaxNLocator(nbins=MAX_LINES, min_n_ticks=2, integer=True))
        if target is not None:
            panels[2].axhline(target, color=TARGET, linewidth=1, linestyle=(0, (5, 3)))
            panels[2].annotate(
                f"target {span(target * 1000)}", (1, target), xycoords=("axes fraction", "data"), xytext=(-3, 3),
                textcoords="offset points", ha="right", va="bottom", color=TARGET, fontsize=8.5,
            )  # fmt: skip
        if len(runs) > 1:
            panels[0].legend(ncols=len(runs), **LEGEND)
        panels[3].legend(ncols=2 * len(runs), **LEGEND)
        _time(panels[3], max(run.times[-1] + run.step for run in runs))
        figure.align_ylabels()
        figure.savefig(path, format=path.suffix[1:], metadata=FORMATS[path.suffix])


def _style() -> RcParams:
    style = mpl.rcParamsDefault.copy()  # independent of the user's matplotlib settings
    style |= {
        "svg.hashsalt": "penstock",
        "svg.fonttype": "none",
        "text.parse_math": False,
        "font.family": "sans-serif",
        "font.size": 9.5,
        "text.color": INK,
        "axes.labelcolor": INK,
        "axes.edgecolor": PALE,
        "xtick.color": INK,
        "ytick.color": INK,
        "axes.grid": True,
        "grid.color": PALE,
        "grid.linewidth": 0.6,
        "axes.axisbelow": True,
        "legend.frameon": False,
    }
    return style


def _panels(panels: Sequence[Axes], run: Curves, colour: str) -> None:
    line: dict[str, Any] = {"color": colour, "linewidth": 1.3, "label": run.name}
    faint: dict[str, Any] = {"color": colour, "alpha": 0.15, "linewidth": 0}
    for panel, values in zip(panels, (run.arrivals, run.backlog, run.oldest), strict=False):
        panel.fill_between(run.times, values, **faint)
        panel.plot(run.times, values, **line)
    prefix = f"{run.name}: " if run.name else ""
    panels[3].fill_between(run.times, run.ready, step="post", **faint)
    panels[3].plot(run.times, run.ready, **line | {"drawstyle": "steps-post", "label": f"{prefix}ready"})
    wanted = {"drawstyle": "steps-post", "linestyle": (0, (1, 1.5)), "label": f"{prefix}wanted"}
    panels[3].plot(run.times, run.wanted, **line | wanted)


def _label(panel: Axes, text: str, highest: float) -> None:
    panel.set_ylabel(text)
    panel.set_ylim(0, highest * 1.1 or 1)
    panel.yaxis.set_major_locator(MaxNLocator(nbins=MAX_LINES, min_n_ticks=2))
    panel.yaxis.set_major_formatter(
        FuncFormatter(lambda value, _: count(value) if value == int(value) else rate(value))
    )
    for side in ("top", "right"):
        panel.spines[side].set_visible(False)


def _time(panel: Axes, lasts: int) -> None:
    panel.set_xlim(0, lasts)
    panel.set_xlabel("time since the start")
    panel.xaxis.set_major_locator(_times(lasts, MAX_TICKS))
    panel.xaxis.set_major_formatter(FuncFormatter(lambda value, _: _short(value)))


def _times(longest: float, most: int) -> MultipleLocator:
    """Ticks at round times, such as whole minutes."""
    return MultipleLocator(next((one for one in STEPS if longest / one <= most), longest / most))


def _short(seconds: float) -> str:
    """Without seconds if they are zero."""
    return clock(seconds).removesuffix(":00")
