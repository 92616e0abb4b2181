"""The details of the selected spec."""

from __future__ import annotations

from rich.cells import cell_len
from rich.text import Text

from penstock_dev.screen.formatting import count, cut, folded, handling, rate, safe, seconds
from penstock_dev.screen.sparkline import sparkline
from penstock_dev.snapshot import SpecSnapshot, WorkerSnapshot, WorkerState

MAX_SPARKLINE = 24
STATES = {WorkerState.STARTING: "yellow", WorkerState.READY: "green", WorkerState.DRAINING: "magenta"}


def detail(one: SpecSnapshot, marked: str | None, columns: int, lines: int) -> Text:
    """Its numbers, the last scaling decision, its problems and its workers, always with the marked one."""
    head = [
        *([_numbers(one, columns)] if one.numbers else []),
        _replicas(one, columns),
        *(Text(line, no_wrap=True) for line in folded(one.decision, columns, 2)),
        *(Text(cut(f"! {problem}", columns), "bold red") for problem in one.problems),
    ]
    return Text("\n", no_wrap=True).join([*head, *_workers(one, marked, columns, max(lines - len(head), 1))][:lines])


def _numbers(one: SpecSnapshot, columns: int) -> Text:
    line = Text(no_wrap=True)
    for label, value in one.numbers:
        shown = f"{safe(label)} {count(value)}"
        if line.cell_len + cell_len(shown) + 2 > columns:
            break
        line.append("  " if line else "")
        line.append(shown, "bold" if value else "dim")
    return line


def _replicas(one: SpecSnapshot, columns: int) -> Text:
    text = f"replicas {one.running} of {one.wanted} wanted, {one.least} to {one.most}"
    text += f", {'all jobs are' if one.kind == 'scheduler' else 'scaling is'} paused" if one.paused else ""
    text += f"  done/s {rate(one.done)}  p50 {handling(one.p50)}  p95 {handling(one.p95)}  "
    line = Text(cut(text, columns), no_wrap=True)
    available = min(columns - line.cell_len, MAX_SPARKLINE)
    if available > len("  ") + 4 and one.history:
        line.append(sparkline([point.replicas for point in one.history], min(available, len(one.history))), "cyan")
    return line


def _workers(one: SpecSnapshot, marked: str | None, columns: int, most: int) -> list[Text]:
    """Rows of workers, always with the marked one."""
    if not one.workers:
        return [Text("no workers" if one.wanted == 0 else "no workers yet", "dim")]
    cells = [_worker(worker, marked=worker.name == marked) for worker in one.workers]
    width = min(max(cell.cell_len for cell in cells), columns)
    per_row = max(1, (columns + 2) // (width + 2))
    rows = [cells[at : at + per_row] for at in range(0, len(cells), per_row)]
    at = next((number for number, worker in enumerate(one.workers) if worker.name == marked), 0) // per_row
    first = max(0, min(at, len(rows) - most))
    lines = []
    for row in rows[first : first + most]:
        line = Text(no_wrap=True)
        for cell in row:
            cell.truncate(width, overflow="ellipsis", pad=True)
            line.append("  " if line else "").append_text(cell)
        line.rstrip()
        lines.append(line)
    left = len(rows) - first - most
    if left > 0:
        more = f"  + {sum(map(len, rows[first + most :]))} more"
        lines[-1].truncate(max(columns - len(more), 0), overflow="ellipsis")
        lines[-1].append(more[: columns or 1], "dim")
    return lines


def _worker(worker: WorkerSnapshot, *, marked: bool) -> Text:
    text = Text(no_wrap=True).append("▸" if marked else " ", "bold")
    text.append(safe(worker.name), "bold reverse" if marked else "")
    text.append(f" {worker.pid} ", "dim")
    text.append(worker.state.value, STATES[worker.state])
    if worker.running is not None and worker.state is not WorkerState.STARTING:
        text.append(f" {count(worker.running)}" if worker.running else " idle", "" if worker.running else "dim")
    return text.append(f" {seconds(worker.age)}", "dim") if worker.age else text
