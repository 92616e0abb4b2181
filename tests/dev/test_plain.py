"""Without a screen, the output is lines for people and machines."""

from __future__ import annotations

from dataclasses import replace

from penstock_dev.running.log_buffer import MAX_LINES, LogBuffer, parse_line
from penstock_dev.running.plain import NUMBERS_INTERVAL, PlainOutput
from penstock_dev.snapshot import Level, RedisSnapshot, Snapshot, SpecSnapshot, WorkerSnapshot, WorkerState

TRIAL = SpecSnapshot(
    "trial",
    backlog=1234,
    oldest=61.0,
    dead=2,
    done=5.25,
    p95=0.5,
    wanted=2,
    workers=(WorkerSnapshot("a", 1, WorkerState.READY), WorkerSnapshot("b", 2, WorkerState.STARTING)),
)


class Output:
    """Plain output on a clock that the test moves."""

    def __init__(self, *specs: SpecSnapshot, after: int = 0) -> None:
        self.log = LogBuffer(lambda: 0.0)
        self.specs = specs
        self.lines: list[str] = []
        self.now = 100.0
        self.plain = PlainOutput(self.snapshot, self.lines.append, lambda: self.now, after)

    def snapshot(self) -> Snapshot:
        return Snapshot(RedisSnapshot("127.0.0.1:1", up=True, since=1), specs=self.specs, log=self.log.lines)

    def update(self) -> list[str]:
        """The new lines."""
        self.lines.clear()
        self.plain.update()
        return list(self.lines)


def test_each_line_is_written_once_with_its_source() -> None:
    output = Output()
    output.log.write("hello")
    output.log.write("KEDA: active: 0 -> 1", spec="trial")
    assert output.update() == ["    0.0s  penstock dev: hello", "    0.0s  trial: KEDA: active: 0 -> 1"]
    output.now += 1.25
    output.log.write("Redis is unreachable", level=Level.WARNING)
    assert output.update() == ["    1.2s  penstock dev: warning: Redis is unreachable"]
    assert output.update() == []


def test_only_important_lines_of_workers_are_written() -> None:
    output = Output()
    output.log.write("done", spec="trial", worker="w")
    output.log.write("it failed", level=Level.ERROR, spec="trial", worker="w")
    assert output.update() == ["    0.0s  trial w: error: it failed"]
    output.log.write("slow", level=Level.WARNING, spec="trial", worker="trial-1")
    assert output.update() == ["    0.0s  trial-1: warning: slow"]


def test_changed_numbers_are_written_periodically() -> None:
    output = Output(TRIAL)
    numbers = "backlog 1234  oldest 1m1s  replicas 1/2  done/s 5.2  dead 2  p95 500ms"
    assert output.update() == [f"    0.0s  trial: {numbers}"]
    output.specs = (replace(TRIAL, paused=True, oldest=None),)
    assert output.update() == []
    output.now += NUMBERS_INTERVAL
    assert output.update() == [
        "    5.0s  trial: backlog 1234  oldest -  replicas 1/2  done/s 5.2  dead 2  p95 500ms  paused"
    ]
    output.now += NUMBERS_INTERVAL
    assert output.update() == []


def test_after_a_screen_only_new_lines_are_written() -> None:
    output = Output(TRIAL, after=1)
    output.log.write("shown before")
    output.log.write("new")
    assert output.update() == ["    0.0s  penstock dev: new"]


def test_a_line_cannot_move_the_cursor_or_start_another() -> None:
    output = Output()
    output.log.write("\x1b[2J\nwiped", level=Level.ERROR, spec="trial", worker="w")
    [line] = output.update()
    assert line.isprintable()


def test_json_log_lines_are_parsed_and_others_kept() -> None:
    parsed = parse_line(b'{"timestamp": "t", "level": "WARNING", "message": "slow", "seconds": 3, "pid": 4}')
    assert (parsed.level, parsed.text, parsed.is_log) == (Level.WARNING, "slow  seconds=3", True)
    assert parse_line(b'{"level": "ODD", "message": "x"}').level is Level.ERROR
    for line in (b"printed", b'{"no": "message"}', b"{broken", b"\xff", b"[]", b""):
        assert not parse_line(line).is_log
        assert parse_line(line).text == line.decode(errors="replace")
    assert parse_line(b"error: no").level is Level.ERROR


def test_only_the_last_lines_are_kept() -> None:
    log = LogBuffer()
    for number in range(MAX_LINES + 10):
        log.write(str(number))
    assert (len(log.lines), log.lines[-1].text) == (MAX_LINES, str(MAX_LINES + 9))
    assert [line.text for line in log.since(MAX_LINES + 8)] == [str(MAX_LINES + 8), str(MAX_LINES + 9)]
