"""`penstock status` shows the state of pipelines and changes nothing."""

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
    """Adds messages in every state."""
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
    """New, running, ready, suspect, parked, delayed and dead messages, and consumers."""
    filled(cli)
    ran = cli.penstock("status", "--json")
    assert ran.code == 0
    assert ran.json["environment"] == "dev"
    [row] = ran.json["pipelines"]
    expected = {"new": 5, "running": 4, "parked": 3, "ready": 2, "suspect": 1, "delayed": 2, "dead": 6, "consumers": 4}
    assert {name: row[name] for name in expected} == expected
    assert row["group_is_there"] is True
    assert row["oldest_seconds"] > 0
    assert 0 < row["next_due_seconds"] <= 3600


def test_the_table_has_the_same_numbers_in_80_columns(cli: OperatorCli) -> None:
    filled(cli)
    ran = cli.penstock("status")
    heading, *rows = ran.out.splitlines()
    cells = dict(zip(heading.split()[-10:], rows[-1].split()[-10:], strict=True))
    assert {"new": "5", "running": "4", "ready": "2", "dead": "6", "consumers": "4"}.items() <= cells.items()
    assert "trial" in ran.out
    assert max(map(len, ran.out.splitlines())) <= 80


def test_status_changes_nothing(cli: OperatorCli) -> None:
    filled(cli)
    before = cli.driver.everything()
    cli.penstock("status")
    assert cli.driver.everything() == before


def test_a_missing_group_is_reported(cli: OperatorCli) -> None:
    """Numbers that only a group knows are `-`; the message says who creates the group."""
    cli.driver.add(3)
    ran = cli.penstock("status")
    assert ran.code == 0
    assert ran.out.splitlines()[-1].split()[-10:-4] == ["3", "-", "-", "-", "-", "0"]
    assert ran.err == "trial: the group `trial` does not exist; a worker or the janitor creates it\n"
    assert cli.penstock("status", "--json").json["pipelines"][0]["running"] is None


def test_another_group_is_reported(cli: OperatorCli) -> None:
    """Finished messages stay while it reads the stream, and are no new ones."""
    driver = cli.driver
    driver.create_group()
    driver.ask("XGROUP", "CREATE", driver.keys.stream, "oncall-debug", "0")
    driver.add(5)
    worker = driver.join_group()
    driver.settle(worker, dict.fromkeys(driver.read(worker, 3), 1))
    ran = cli.penstock("status")
    assert ran.code == 0
    says = "trial: 2 groups read `trial`; it keeps 3 finished messages until `trial` is the only one\n"
    assert ran.err == says
    row = cli.penstock("status", "--json").json["pipelines"][0]
    assert (row["new"], row["length"], row["finished"], row["groups"]) == (2, 5, 3, 2)


def test_full_dead_letters_are_reported(make_cli: Callable[..., OperatorCli]) -> None:
    """Nothing is buried any more, which `dead` alone does not show."""
    cli = make_cli("dead_letter: {limit: {length: 3}}")
    cli.driver.create_group()
    cli.died(2)
    assert cli.penstock("status").err == ""
    cli.died(1)
    says = "trial: 3 dead letters reach `dead_letter.limit`; messages are retried, not buried\n"
    assert cli.penstock("status").err == says


def test_an_unreachable_redis_is_one_line_and_a_hint(cli: OperatorCli) -> None:
    ran = cli.penstock("status", redis=f"redis://127.0.0.1:{free_port()}")
    assert ran.code == 2
    error, hint = ran.err.splitlines()
    assert error.startswith("error: Redis is unreachable: ")
    assert hint.startswith("hint: ")
    assert ran.out == ""


def test_a_failing_pipeline_hides_no_other(cli: OperatorCli) -> None:
    """Its row has no numbers, the reason is printed, and the exit code is 1."""
    spec = (cli.trial.folder / "specs/trial.yaml").read_text()
    (cli.trial.folder / "specs/other.yaml").write_text(
        spec.replace("name: trial", "name: other").replace("{key: trial, group: trial}", "{key: other, group: other}")
    )
    cli.driver.create_group()
    cli.ask("SET", "other", "no stream")
    ran = cli.penstock("status", "--json")
    assert ran.code == 1
    rows = {one["pipeline"]: one for one in ran.json["pipelines"]}
    assert "WRONGTYPE" in rows["other"]["error"]
    assert rows["trial"]["new"] == 0
    assert "other: state unknown: " in ran.err


def test_a_name_selects_one_pipeline(cli: OperatorCli) -> None:
    spec = (cli.trial.folder / "specs/trial.yaml").read_text()
    (cli.trial.folder / "specs/other.yaml").write_text(
        spec.replace("name: trial", "name: other").replace("{key: trial, group: trial}", "{key: other, group: other}")
    )
    assert [one["pipeline"] for one in cli.penstock("status", "other", "--json").json["pipelines"]] == ["other"]


def test_watch_prints_until_ctrl_c(cli: OperatorCli, tmp_path: Path) -> None:
    """Into a file it prints again and again; Ctrl-C is no failure."""
    cli.driver.create_group()
    file = tmp_path / "watched"
    with file.open("w") as out:
        process = cli.start("status", "--watch", "0.1", "--json", stdout=out)
        wait_for(lambda: len(file.read_text().splitlines()) > 2, "status was printed three times")
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 0
        assert process.communicate()[1] == ""


def test_watch_survives_a_redis_outage(cli: OperatorCli, server: Server) -> None:
    """It reports the error while Redis is gone, and numbers again afterwards."""
    process = cli.start("status", "--watch", "0.1", "--json", redis=server.url)
    assert "error" not in json.loads(first_line(process))["pipelines"][0]
    server.kill()
    lines = iter(process.stdout or ())
    assert any("error" in json.loads(line)["pipelines"][0] for line in lines)
    server.start()
    assert any("error" not in json.loads(line)["pipelines"][0] for line in lines)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=PATIENCE)
    assert process.returncode == 0


def test_watch_redraws_a_terminal(cli: OperatorCli) -> None:
    cli.driver.create_group()
    outside, inside = pty.openpty()
    process = cli.start("status", "--watch", "0.1", environ={"TERM": "xterm"}, stdout=inside)
    os.close(inside)
    output = b""
    while output.count(b"\x1b[H") < 3:
        output += os.read(outside, 4096)
    process.send_signal(signal.SIGINT)
    wait_for(lambda: process.poll() is not None or os.read(outside, 4096) is None, "the command exits")
    assert process.wait(PATIENCE) == 0
    os.close(outside)
    process.communicate()
    first, second, *_ = output.split(b"\x1b[H")[1:]
    assert b"trial" in first
    assert first.count(b"\n") == second.count(b"\n")


@pytest.mark.parametrize("interval", ["soon", "0", "-1", "1e9", "nan"])
def test_an_invalid_interval_is_refused(cli: OperatorCli, interval: str) -> None:
    ran = cli.penstock("status", f"--watch={interval}")
    assert ran.code == 2
    assert "hint: " in ran.err


class TestThroughput:
    """Throughput comes from counters of Redis, or is unknown."""

    def done_during(self, cli: OperatorCli, act: Callable[[], object]) -> float | None:
        """The number of messages done during `act`, if it is known."""

        async def measure() -> Counts:
            link = cli.driver.link()
            try:
                return await counts(link, cli.keys)
            finally:
                await link.close()

        before = run_async(measure())
        act()
        after = run_async(measure())
        throughput = done_per_second(cli.pipeline.spec, before, after)
        return None if throughput is None else round(throughput * (after.time - before.time), 6)

    def counts_added(self, cli: OperatorCli) -> bool:
        return "entries-added" in cli.driver.listed("XINFO", "STREAM", cli.keys.stream)

    @pytest.mark.parametrize("keep_", ["until-done", "{length: 1000}"])
    def test_done_messages_count_and_dead_ones_do_not(self, make_cli: Callable[..., OperatorCli], keep_: str) -> None:
        """However many messages are added, delayed or retried meanwhile."""
        cli = make_cli(f"stream: {{key: trial, group: trial, retention: {{keep: {keep_}}}}}")
        driver = cli.driver
        driver.create_group()
        driver.add(20)
        worker = driver.join_group()
        driver.read(worker, 8)

        def act() -> None:
            driver.add(7)
            ids = [*driver.pending(), *driver.read(worker, 5)]
            driver.settle(worker, dict.fromkeys(ids[:6], 1))
            driver.park(ids[6:8])
            fields = ("data", "x", "penstock-dead-id", ids[8])
            marks = (cli.keys.uncharged, cli.keys.crashed, cli.keys.finished)
            keys = (cli.keys.stream, cli.keys.dead, *marks, cli.keys.stream)
            deletes = int(cli.pipeline.spec.stream.retention.keeps_nothing)
            driver.run("bury", keys, cli.keys.group, worker, deletes, "", len(fields), *fields, *[ids[8]] * 3, 1)

        expected = 6 if self.counts_added(cli) else None
        assert self.done_during(cli, act) == expected

    def test_throughput_is_unknown_with_drop_oldest(self, make_cli: Callable[..., OperatorCli]) -> None:
        cli = make_cli("stream: {key: trial, group: trial, backlog: {limit: 10, when_full: drop-oldest, lossy: true}}")
        cli.driver.create_group()
        assert self.done_during(cli, cli.driver.add) is None

    def test_a_recreated_stream_has_no_throughput(self, cli: OperatorCli) -> None:
        cli.driver.create_group()
        cli.driver.add(5)
        assert self.done_during(cli, lambda: (cli.ask("DEL", cli.keys.stream), cli.driver.add(1))) is None


class TestDisplay:
    """Numbers and durations stay narrow, and tables fit the width."""

    @pytest.mark.parametrize(
        ("number", "text"),
        [
            (None, "-"), (0, "0"), (9999, "9999"), (10_000, "10.0k"), (123_456, "123k"),
            (1_000_000, "1.00M"), (12_345_678, "12.3M"), (5_000_000_000, "5.00G"),
        ],
    )  # fmt: skip
    def test_counts_are_abbreviated(self, number: int | None, text: str) -> None:
        assert count(number) == text

    @pytest.mark.parametrize(("number", "text"), [(None, "-"), (0, "0"), (0.26, "0.3"), (9.94, "9.9"), (123.4, "123")])
    def test_rates_are_rounded(self, number: float | None, text: str) -> None:
        assert rate(number) == text

    @pytest.mark.parametrize(
        ("milliseconds", "text"),
        [
            (-5, "0.0s"), (340, "0.3s"), (12_000, "12s"), (60_000, "1m"), (192_000, "3m12s"),
            (7_500_000, "2h5m"), (86_400_000, "1d"), (187_200_000, "2d4h"),
        ],
    )  # fmt: skip
    def test_durations_have_two_units_at_most(self, milliseconds: int, text: str) -> None:
        assert span(milliseconds) == text

    @pytest.mark.parametrize("leads", [True, False])
    @pytest.mark.parametrize("columns", [40, 80, 200])
    def test_a_table_is_no_wider_than_the_terminal(self, columns: int, *, leads: bool) -> None:
        """A long text wraps, and loses no word."""
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
        """Gaps become narrow if that makes the row fit."""
        between = " " * gap
        table = Table([Column("one"), Column("two"), Column("three")], [["a", "b", "c"]], ["12"], "t", leads=True)
        assert list(table.lines(columns)) == [
            between.join(["t ", "one", "two", "three"]),
            between.join(["12", "a  ", "b  ", "c"]),
        ]


def test_a_name_that_could_move_the_cursor_is_shown_escaped() -> None:
    """Anybody may have written these texts."""
    [_, line] = Table([Column("id")], [["a\x1b[2Jb"]], ["c\nd"]).lines(80)
    assert line == "a\\u001b[2Jb  c\\u000ad"


def test_measuring_a_pipeline_takes_few_commands(cli: OperatorCli) -> None:
    """For any backlog: one script, and four commands for the throughput, per measurement."""
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
    assert called["evalsha"] <= 2 + 1  # once more if the server had not cached the script
    assert called["xlen"] == 2 * 2
