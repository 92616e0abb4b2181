"""`penstock status` tells how pipelines are, and changes nothing."""

from __future__ import annotations

import json
import os
import pty
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from event_loop import run_async
from operator_cli import OperatorCli, first_line
from patience import PATIENCE
from servers import Server, wait_for

from penstock.embedded import free_port
from penstock.operating.table import Column, Table
from penstock.operating.throughput import Counts, counts, done_per_second
from penstock_spec.report.safe import width
from penstock_spec.values.display import count, rate, span


def filled(cli: OperatorCli) -> None:
    """Something in every state."""
    driver = cli.driver
    driver.create_group()
    driver.add(1 + 2 + 3 + 4 + 5)
    driver.read(driver.join_group(), 4)
    driver.park(driver.read(driver.join_group(), 3), wait=3_600_000)
    for state, entries in (("~ready", 2), ("~suspect", 1)):
        ids = driver.read(driver.join_group(), entries)
        driver.ask("XCLAIM", driver.keys.stream, driver.keys.group, state, 0, *ids, "JUSTID")
    for number in range(2):
        driver.run("send", (*delayed_keys(cli),), driver.keys.group, "until-done", 100, "reject", 0, *later(number))
    cli.died(6)


def delayed_keys(cli: OperatorCli) -> tuple[str, ...]:
    return cli.keys.stream, cli.keys.delayed, cli.keys.bodies, cli.keys.position


def later(number: int) -> tuple[str | int, ...]:
    return f"01ARZ3NDEKTSV4RRFFQ69G5FA{number}", 3_600_000, 2, "data", f'{{"n": {number}}}'


@pytest.mark.wire
def test_each_state_is_counted(cli: OperatorCli) -> None:
    """New, running, ready, suspect, parked, delayed, dead; and who reads."""
    filled(cli)
    ran = cli.penstock("status", "--json")
    assert ran.code == 0
    assert ran.json["environment"] == "dev"
    [told] = ran.json["pipelines"]
    expected = {"new": 5, "running": 4, "parked": 3, "ready": 2, "suspect": 1, "delayed": 2, "dead": 6, "consumers": 4}
    assert {name: told[name] for name in expected} == expected
    assert told["group_is_there"] is True
    assert told["oldest_seconds"] > 0
    assert 0 < told["next_due_seconds"] <= 3600


def test_people_read_the_same_in_a_table_of_80_columns(cli: OperatorCli) -> None:
    filled(cli)
    ran = cli.penstock("status")
    heading, *rows = ran.out.splitlines()
    cells = dict(zip(heading.split()[-10:], rows[-1].split()[-10:], strict=True))
    assert {"new": "5", "running": "4", "ready": "2", "dead": "6", "consumers": "4"}.items() <= cells.items()
    assert "trial" in ran.out
    assert max(map(len, ran.out.splitlines())) <= 80


def test_looking_changes_nothing(cli: OperatorCli) -> None:
    filled(cli)
    before = cli.driver.everything()
    cli.penstock("status")
    assert cli.driver.everything() == before


def test_a_missing_group_is_reported(cli: OperatorCli) -> None:
    """What only a group knows is `-`, and the way out is told."""
    cli.driver.add(3)
    ran = cli.penstock("status")
    assert ran.code == 0
    assert ran.out.splitlines()[-1].split()[-10:-4] == ["3", "-", "-", "-", "-", "0"]
    assert ran.err == "trial: the group `trial` does not exist; a worker or the janitor creates it\n"
    assert cli.penstock("status", "--json").json["pipelines"][0]["running"] is None


def test_absence_of_redis_is_one_sentence(cli: OperatorCli) -> None:
    ran = cli.penstock("status", redis=f"redis://127.0.0.1:{free_port()}")
    assert ran.code == 2
    says, hint = ran.err.splitlines()
    assert says.startswith("error: Redis is unreachable: ")
    assert hint.startswith("hint: ")
    assert ran.out == ""


def test_a_failing_pipeline_blocks_no_other(cli: OperatorCli) -> None:
    """Its row is empty, the reason is told, and the exit code says that a part failed."""
    spec = (cli.trial.folder / "specs/trial.yaml").read_text()
    (cli.trial.folder / "specs/other.yaml").write_text(
        spec.replace("name: trial", "name: other").replace("{key: trial, group: trial}", "{key: other, group: other}")
    )
    cli.driver.create_group()
    cli.ask("SET", "other", "no stream")
    ran = cli.penstock("status", "--json")
    assert ran.code == 1
    told = {one["pipeline"]: one for one in ran.json["pipelines"]}
    assert "WRONGTYPE" in told["other"]["error"]
    assert told["trial"]["new"] == 0
    assert "other: state unknown: " in ran.err


def test_only_the_pipelines_that_are_named_are_shown(cli: OperatorCli) -> None:
    spec = (cli.trial.folder / "specs/trial.yaml").read_text()
    (cli.trial.folder / "specs/other.yaml").write_text(
        spec.replace("name: trial", "name: other").replace("{key: trial, group: trial}", "{key: other, group: other}")
    )
    assert [one["pipeline"] for one in cli.penstock("status", "other", "--json").json["pipelines"]] == ["other"]


def test_it_watches_until_it_is_interrupted(cli: OperatorCli, tmp_path: Path) -> None:
    """Into a file it prints again and again; Ctrl-C is no failure."""
    cli.driver.create_group()
    file = tmp_path / "watched"
    with file.open("w") as out:
        process = cli.start("status", "--watch", "0.1", "--json", stdout=out)
        wait_for(lambda: len(file.read_text().splitlines()) > 2, "it has looked three times")
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 0
        assert process.communicate()[1] == ""


def test_watching_survives_a_redis_outage(cli: OperatorCli, server: Server) -> None:
    """What cannot be told is told as such; what can be told again is."""
    process = cli.start("status", "--watch", "0.1", "--json", redis=server.url)
    assert "error" not in json.loads(first_line(process))["pipelines"][0]
    server.kill()
    told = iter(process.stdout or ())
    assert any("error" in json.loads(line)["pipelines"][0] for line in told)
    server.start()
    assert any("error" not in json.loads(line)["pipelines"][0] for line in told)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=PATIENCE)
    assert process.returncode == 0


def test_a_terminal_is_redrawn(cli: OperatorCli) -> None:
    cli.driver.create_group()
    outside, inside = pty.openpty()
    process = cli.start("status", "--watch", "0.1", environ={"TERM": "xterm"}, stdout=inside)
    os.close(inside)
    told = b""
    while told.count(b"\x1b[H") < 3:
        told += os.read(outside, 4096)
    process.send_signal(signal.SIGINT)
    wait_for(lambda: process.poll() is not None or os.read(outside, 4096) is None, "it ends")
    assert process.wait(PATIENCE) == 0
    os.close(outside)
    process.communicate()
    first, second, *_ = told.split(b"\x1b[H")[1:]
    assert b"trial" in first
    assert first.count(b"\n") == second.count(b"\n")


@pytest.mark.parametrize("said", ["soon", "0", "-1", "1e9", "nan"])
def test_an_invalid_interval_is_refused(cli: OperatorCli, said: str) -> None:
    ran = cli.penstock("status", f"--watch={said}")
    assert ran.code == 2
    assert "hint: " in ran.err


class TestThroughput:
    """What is done in a second is told from what Redis counts, or not at all."""

    def looked(self, cli: OperatorCli, happens: Callable[[], object]) -> float | None:
        """How many were done while something happened."""

        async def look() -> Counts:
            link = cli.driver.link()
            try:
                return await counts(link, cli.keys)
            finally:
                await link.close()

        before = run_async(look())
        happens()
        after = run_async(look())
        told = done_per_second(cli.pipeline.spec, before, after)
        return None if told is None else round(told * (after.time - before.time), 6)

    def counts_added(self, cli: OperatorCli) -> bool:
        return "entries-added" in cli.driver.listed("XINFO", "STREAM", cli.keys.stream)

    @pytest.mark.parametrize("keep_", ["until-done", "{length: 1000}"])
    def test_done_messages_count_and_dead_ones_do_not(self, make_cli: Callable[..., OperatorCli], keep_: str) -> None:
        """However many come meanwhile, are delayed, or wait for another attempt."""
        cli = make_cli(f"stream: {{key: trial, group: trial, retention: {{keep: {keep_}}}}}")
        driver = cli.driver
        driver.create_group()
        driver.add(20)
        worker = driver.join_group()
        driver.read(worker, 8)

        def happens() -> None:
            driver.add(7)
            ids = [*driver.pending(), *driver.read(worker, 5)]
            driver.settle(worker, dict.fromkeys(ids[:6], 1))
            driver.park(ids[6:8])
            letter = ("data", "x", "penstock-dead-id", ids[8])
            marks = (cli.keys.uncharged, cli.keys.crashed, cli.keys.finished)
            keys = (cli.keys.stream, cli.keys.dead, *marks, cli.keys.stream)
            deletes = int(cli.pipeline.spec.stream.retention.keeps_nothing)
            driver.run("bury", keys, cli.keys.group, worker, deletes, "", len(letter), *letter, *[ids[8]] * 3, 1)

        expected = 6 if self.counts_added(cli) else None
        assert self.looked(cli, happens) == expected

    def test_throughput_is_unknown_with_drop_oldest(self, make_cli: Callable[..., OperatorCli]) -> None:
        cli = make_cli("stream: {key: trial, group: trial, backlog: {limit: 10, when_full: drop-oldest, lossy: true}}")
        cli.driver.create_group()
        assert self.looked(cli, cli.driver.add) is None

    def test_a_recreated_stream_has_no_throughput(self, cli: OperatorCli) -> None:
        cli.driver.create_group()
        cli.driver.add(5)
        assert self.looked(cli, lambda: (cli.ask("DEL", cli.keys.stream), cli.driver.add(1))) is None


class TestWords:
    """Numbers and spans stay narrow, and tables within the width."""

    @pytest.mark.parametrize(
        ("number", "told"),
        [
            (None, "-"), (0, "0"), (9999, "9999"), (10_000, "10.0k"), (123_456, "123k"),
            (1_000_000, "1.00M"), (12_345_678, "12.3M"), (5_000_000_000, "5.00G"),
        ],
    )  # fmt: skip
    def test_counts(self, number: int | None, told: str) -> None:
        assert count(number) == told

    @pytest.mark.parametrize(("number", "told"), [(None, "-"), (0, "0"), (0.26, "0.3"), (9.94, "9.9"), (123.4, "123")])
    def test_rates(self, number: float | None, told: str) -> None:
        assert rate(number) == told

    @pytest.mark.parametrize(
        ("milliseconds", "told"),
        [
            (-5, "0.0s"), (340, "0.3s"), (12_000, "12s"), (60_000, "1m"), (192_000, "3m12s"),
            (7_500_000, "2h5m"), (86_400_000, "1d"), (187_200_000, "2d4h"),
        ],
    )  # fmt: skip
    def test_spans(self, milliseconds: int, told: str) -> None:
        assert span(milliseconds) == told

    @pytest.mark.parametrize("leads", [True, False])
    @pytest.mark.parametrize("columns", [40, 80, 200])
    def test_a_table_is_no_wider_than_the_terminal(self, columns: int, *, leads: bool) -> None:
        """A long text has lines of its own; its words are all there."""
        words = "job=1 " * 20 + "\u732b=" + "x" * 30
        table = Table(
            [Column("id"), Column("n", right=True)], [["1-1", "5"], ["2-2", "77"]], ["short", words], leads=leads
        )
        lines = list(table.lines(columns))
        if not leads:
            assert max(map(width, lines)) <= columns
        assert "".join(lines).count("job=1") == 20
        assert any(line.split()[-2:] == ["1-1", "5"] or line.split()[:2] == ["1-1", "5"] for line in lines)

    @pytest.mark.parametrize(("columns", "gap"), [(19, 2), (18, 1), (16, 1)])
    def test_gaps_shrink_before_texts_wrap(self, columns: int, gap: int) -> None:
        """A narrower gap where all fits with it."""
        between = " " * gap
        table = Table([Column("one"), Column("two"), Column("three")], [["a", "b", "c"]], ["12"], "t", leads=True)
        assert list(table.lines(columns)) == [
            between.join(["t ", "one", "two", "three"]),
            between.join(["12", "a  ", "b  ", "c"]),
        ]


def test_a_name_that_could_move_the_cursor_is_shown_escaped() -> None:
    """Texts come from anybody."""
    [_, line] = Table([Column("id")], [["a\x1b[2Jb"]], ["c\nd"]).lines(80)
    assert line == "a\\u001b[2Jb  c\\u000ad"


def test_one_question_measures_a_pipeline(cli: OperatorCli) -> None:
    """However much there is of it: one script, and four commands for the throughput, at each look."""
    cli.driver.create_group()
    cli.driver.add(1000)
    for server in cli.trial.target.masters():
        server.ask("CONFIG", "RESETSTAT")
    cli.penstock("status")
    stats = "".join(str(server.ask("INFO", "commandstats")) for server in cli.trial.target.masters())
    called = {
        line.partition(":")[0].removeprefix("cmdstat_"): int(line.partition("calls=")[2].partition(",")[0])
        for line in stats.split()
        if line.startswith("cmdstat_")
    }
    assert called["evalsha"] <= 2 + 1  # once more where the server had to be told the script
    assert called["xlen"] == 2 * 2
