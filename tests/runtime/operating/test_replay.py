"""A replayed dead letter runs through its pipeline again: once, with its own fields and the history of its deaths."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import pty
import random
import re
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from event_loop import run_async
from faulty_connection import Cable
from operator_cli import OperatorCli, first_line
from patience import PATIENCE
from pipeline_driver import PipelineDriver
from servers import Server, wait_for
from targets import Target

from penstock.keys import PipelineKeys
from penstock.message.death_history import read_history
from penstock.operating.dead_letters.batch import check_slots
from penstock.operating.dead_letters.choice import DeadLetterScan, Filters
from penstock.operating.dead_letters.dead_letter import DeadLetter
from penstock.operating.dead_letters.pace import Pace, rate_of
from penstock.operating.dead_letters.purge import purge
from penstock.operating.dead_letters.replay import MOST_VALUES, Replayer
from penstock.operating.reach import Retrier
from penstock.terminal.output import Progress
from penstock.wire.credentials import Credentials
from penstock_spec.findings import CannotGoOn

BINARY = (b"data", b'{"n": 1}', b"raw", b"\xff\x00\n", b"raw", b"twice", b"penstock-key", b"k", b"", b"")


def numbers(cli: OperatorCli) -> Counter[int]:
    """The field `n` of every entry and every dead letter."""
    fields = [*cli.entries(), *cli.dead().values()]
    return Counter(json.loads(one[one.index("data") + 1])["n"] for one in fields)


class TestDryRun:
    """Without `--yes` the commands change nothing."""

    @pytest.mark.parametrize("verb", ["replay", "purge"])
    @pytest.mark.parametrize("selection", [["--all"], ["--error", "value"], ["{id}"]])
    def test_a_dry_run_changes_nothing(self, cli: OperatorCli, verb: str, selection: list[str]) -> None:
        ids = cli.died(3)
        before = cli.driver.everything()
        arguments = [one.format(id=ids[0]) for one in selection]
        ran = cli.penstock("dlq", verb, "trial", *arguments)
        assert ran.code == 0
        count = 1 if "{id}" in selection else 3
        assert re.search(rf"would \w+ {count} dead letter", ran.out)
        assert "nothing was changed; use `--yes` to do it" in ran.out
        assert len(cli.penstock("dlq", verb, "trial", *arguments, "--json").objects) == count
        assert cli.driver.everything() == before

    def test_a_dry_run_counts_by_reason_and_error(self, cli: OperatorCli) -> None:
        cli.died(4)
        cli.died(2, error="its workers were lost", reason="lost")
        lines = [line.split() for line in cli.penstock("dlq", "replay", "trial", "--all").out.splitlines()]
        assert lines[:3] == [["count", "reason", "error"], ["4", "failed", "ValueError"], ["2", "lost", "-"]]

    def test_other_groups_are_reported(self, cli: OperatorCli) -> None:
        """They would receive the message as well."""
        cli.driver.create_group()
        cli.ask("XGROUP", "CREATE", cli.keys.stream, "audit", "0")
        cli.died(1)
        assert "`trial` has 2 groups" in cli.penstock("dlq", "replay", "trial", "--all").out

    def test_a_selection_is_required(self, cli: OperatorCli) -> None:
        for arguments in ([], ["--yes"], ["1-1", "--all"], ["--all", "--reason", "lost"]):
            ran = cli.penstock("dlq", "replay", "trial", *arguments)
            assert ran.code == 2
            assert "hint: " in ran.err

    def test_no_match_sets_the_exit_code(self, cli: OperatorCli) -> None:
        for arguments in (["--all"], ["--all", "--yes"], ["5-5"], ["5-5", "--yes"]):
            for verb in ("replay", "purge"):
                assert cli.penstock("dlq", verb, "trial", *arguments).code == 1


class TestReplay:
    """With `--yes` the commands act."""

    @pytest.mark.wire
    def test_a_replay_keeps_every_byte_and_adds_the_history(self, cli: OperatorCli) -> None:
        """In their order, with repeated fields and fields of Penstock."""
        id_ = cli.dies(*BINARY, error="ValueError: no", attempts=3, entry="17-4")
        ran = cli.penstock("dlq", "replay", "trial", id_, "--yes")
        assert (ran.code, ran.out) == (0, "replayed 1 dead letter of `trial`\n")
        [fields] = cli.exact(cli.keys.stream)
        assert tuple(fields[: len(BINARY)]) == BINARY
        assert fields[len(BINARY)] == b"penstock-story"
        [death] = read_history(fields[-1])
        assert (death.id, death.reason, death.error, death.attempts) == ("17-4", "failed", "ValueError: no", 3)
        assert cli.dead() == {}

    def test_the_history_of_deaths_continues(self, cli: OperatorCli) -> None:
        """A second death is added to the first, and no other field changes."""
        cli.dies(*BINARY, error="ValueError: first", entry="1-0")
        cli.penstock("dlq", "replay", "trial", "--all", "--yes")
        [fields] = cli.exact(cli.keys.stream)
        reordered = [*fields[:2], b"penstock-story", fields[-1], *fields[2:-2]]  # a sender may use another order
        id_ = cli.dies(*reordered, error="ValueError: second", entry="2-0")
        deaths = cli.penstock("dlq", "show", "trial", id_, "--json").json["deaths"]
        assert [one["error"] for one in deaths] == ["ValueError: first", "ValueError: second"]
        cli.penstock("dlq", "replay", "trial", "--all", "--yes")
        _, fields = cli.exact(cli.keys.stream)
        assert (*fields[:2], *fields[4:]) == BINARY
        assert [death.id for death in read_history(fields[3])] == ["1-0", "2-0"]

    def test_packed_fields_are_unpacked(self, cli: OperatorCli) -> None:
        fields = [part for n in range(1500) for part in (b"f%d" % n, b"\xfe%d" % n)]
        cli.dies(*fields)
        assert cli.penstock("dlq", "replay", "trial", "--all", "--yes").code == 0
        [replayed] = cli.exact(cli.keys.stream)
        assert replayed[:-2] == fields

    def test_a_dead_letter_with_too_many_fields_for_a_script_stays(self, cli: OperatorCli) -> None:
        """The dry run and the replay report it; the others are replayed."""
        fields = [b"x"] * (MOST_VALUES + 2)
        large = cli.dies(*fields)
        cli.died(2)
        dry_run = cli.penstock("dlq", "replay", "trial", "--all")
        assert f"{large}: cannot be replayed: it has 3952 fields" in dry_run.err
        assert "would replay 2 dead letters" in dry_run.out
        ran = cli.penstock("dlq", "replay", "trial", "--all", "--yes")
        assert ran.code == 1
        assert f"{large}: not replayed: it has 3952 fields" in ran.err
        assert (len(cli.entries()), list(cli.dead())) == (2, [large])

    def test_the_largest_possible_dead_letter_is_replayed(self, cli: OperatorCli) -> None:
        cli.dies(*[b"x"] * (MOST_VALUES - 2))
        assert cli.penstock("dlq", "replay", "trial", "--all", "--yes").code == 0

    def test_selected_dead_letters_are_replayed_oldest_first(self, cli: OperatorCli) -> None:
        cli.died(3, error="ValueError: no")
        others = cli.died(2, error="TimeoutError: too long")
        ran = cli.penstock("dlq", "replay", "trial", "--error", "ValueError", "--yes", "--json")
        assert [json.loads(fields[1])["n"] for fields in cli.entries()] == [0, 1, 2]
        assert [one["entry"] for one in ran.objects] == cli.driver.entries()
        assert list(cli.dead()) == others

    def test_a_repeated_id_is_replayed_once(self, cli: OperatorCli) -> None:
        [id_] = cli.died(1)
        ran = cli.penstock("dlq", "replay", "trial", id_, id_, "--yes")
        assert (ran.code, len(cli.entries())) == (0, 1)

    def test_a_missing_dead_letter_stops_no_other(self, cli: OperatorCli) -> None:
        first, second = cli.died(2)
        ran = cli.penstock("dlq", "replay", "trial", first, "5-5", second, "--yes")
        assert ran.code == 1
        assert "no dead letter `5-5`" in ran.err
        assert len(cli.entries()) == 2

    def test_dead_letters_of_other_pipelines_stay(self, cli: OperatorCli) -> None:
        """Also when selected by id."""
        fields = ("data", "{}", "penstock-dead-id", "1-1", "penstock-dead-stream", "another")
        id_ = str(cli.ask("XADD", cli.keys.dead, "*", *fields))
        for verb in ("replay", "purge"):
            for selection in (["--all"], [id_]):
                assert cli.penstock("dlq", verb, "trial", *selection, "--yes").code == 1
        assert list(cli.dead()) == [id_]
        assert cli.entries() == []

    @pytest.mark.wire
    def test_a_replay_bypasses_deduplication_and_a_full_backlog(self, make_cli: Callable[..., OperatorCli]) -> None:
        """The message was accepted once."""
        cli = make_cli(
            "message: {dedup: {by: n, window: 1h}}\n"
            "stream: {key: trial, group: trial, backlog: {limit: 1}}\n"
            "work: {concurrency: 1}\nscaling: {replicas: {max: 1}}"
        )
        assert cli.penstock("send", "trial", '{"n": 1}').code == 0
        assert cli.penstock("send", "trial", '{"n": 2}').code == 2
        [sent] = cli.exact(cli.keys.stream)
        cli.dies(*sent)
        assert cli.penstock("dlq", "replay", "trial", "--all", "--yes").code == 0
        assert len(cli.entries()) == 2

    def test_messages_that_die_during_a_replay_are_not_replayed_again(self, cli: OperatorCli) -> None:
        """Otherwise a message that always fails would loop for ever."""
        cli.died(20)

        async def scenario() -> None:
            link = cli.driver.link()
            scan = DeadLetterScan(link, cli.keys, cli.reader)
            until = await scan.last()
            replayer = Replayer(link, cli.keys, Pace(None))
            dead_letters = scan.matching(Filters(), await scan.now(), until=until)
            async for one in replayer.replay(dead_letters):
                assert one.entry
                cli.dies(b"data", b'{"n": 0}')
            await link.close()

        run_async(scenario())
        assert (len(cli.entries()), len(cli.dead())) == (20, 20)

    def test_without_the_right_to_delete_no_message_is_added(self, cli: OperatorCli, server: Server) -> None:
        """Otherwise such a user would duplicate every message."""
        target = Target(server.model(), Credentials(), [server])
        driver = PipelineDriver(target, "")
        driver.ask("XADD", driver.keys.dead, "*", "data", "{}")
        driver.ask("ACL", "SETUSER", "reader", "on", "nopass", "~*", "+@all", "-xdel")
        ran = cli.penstock("dlq", "replay", "trial", "--all", "--yes", redis=f"redis://reader@{server.address}")
        assert ran.code == 2
        assert "xdel" in ran.err
        assert driver.entries() == []


class TestHandler:
    """A worker gives a replayed message all its attempts again."""

    HANDLERS = """\
import ledger

async def handle(message, context):
    ledger.note(f"attempt-{context.attempt}", str(message["n"]), context.fence)
    raise ValueError("no")
"""

    def test_attempts_restart_at_one(self, make_cli: Callable[..., OperatorCli]) -> None:
        """A message that died twice has both deaths in its history."""
        retries = "retries: {attempts: 2, backoff: {first: 10ms}}"
        cli = make_cli(f"message: {{}}\n{retries}", handlers=self.HANDLERS)
        cli.trial.worker().ready()
        cli.trial.send([{"n": 1}])
        wait_for(lambda: len(cli.dead()) == 1, "the message is a dead letter")
        [first] = cli.dead()
        assert cli.penstock("dlq", "replay", "trial", "--all", "--yes").code == 0
        wait_for(lambda: cli.dead() and first not in cli.dead(), "the message is a dead letter again")
        assert [line.split()[0] for line in cli.trial.ledger.read_text().splitlines()] == [
            "attempt-1",
            "attempt-2",
        ] * 2
        [again] = cli.dead()
        document = cli.penstock("dlq", "show", "trial", again, "--json").json
        assert (document["attempts"], len(document["deaths"])) == (2, 2)


def test_a_terminal_shows_progress(cli: OperatorCli) -> None:
    """One line is updated, and cleared at the end."""
    cli.died(40)
    outside, inside = pty.openpty()
    process = cli.start("dlq", "replay", "trial", "--all", "--yes", "--rate", "40/s", stderr=inside)
    os.close(inside)
    output = b""
    with contextlib.suppress(OSError):  # the terminal ends with the process
        while part := os.read(outside, 4096):
            output += part
    out, _ = process.communicate(timeout=PATIENCE)
    os.close(outside)
    assert (process.returncode, out) == (0, "replayed 40 dead letters of `trial`\n")
    assert output.count(b"\rreplayed ") > 1
    assert output.endswith(b" \r")
    assert b"\n" not in output


class TestInterruptions:
    """Whatever interrupts a replay, each message is in the stream or a dead letter, exactly once."""

    @pytest.mark.wire
    @pytest.mark.storm
    def test_repeated_kills_under_load_lose_and_duplicate_no_message(self, cli: OperatorCli) -> None:
        """SIGKILL at any moment, during other sends and deaths; the next run does the rest."""
        count, kills = 2000, 5
        cli.driver.create_group()
        keys = cli.keys
        for start in range(0, count, 100):
            for n in range(start, start + 100):
                cli.dies(b"data", b'{"n": %d}' % n)
        running, added = True, 0

        async def load() -> None:
            nonlocal added
            link = cli.driver.link()
            while running:
                data = b'{"n": %d}' % (count + added)
                await link.call("XADD", keys.stream if added % 2 else keys.dead, "*", "data", data)
                added += 1
                await asyncio.sleep(0.001)
            await link.close()

        traffic = threading.Thread(target=run_async, args=(load(),))
        chance = random.Random(7)  # noqa: S311 - no secret
        for _ in range(kills):
            process = cli.start("dlq", "replay", "trial", "--all", "--yes", "--rate", "off", "--json")
            first_line(process)
            if not traffic.is_alive():
                traffic.start()
            time.sleep(chance.uniform(0, 0.05))
            process.kill()
            process.communicate()
        remaining = len(cli.dead())
        running = False
        traffic.join()
        assert remaining > 0, "the last kill came before the end"
        assert cli.penstock("dlq", "replay", "trial", "--all", "--yes", "--rate", "off").code == 0
        assert numbers(cli) == Counter(range(count + added))
        assert cli.dead() == {}

    def test_ctrl_c_stops_after_the_current_dead_letter(self, cli: OperatorCli) -> None:
        """It reports how many it replayed; the rest stays."""
        cli.died(500)
        process = cli.start("dlq", "replay", "trial", "--all", "--yes", "--rate", "50/s", "--json")
        first_line(process)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
        assert process.returncode == 1
        assert "stopped; run it again for the rest" in err
        assert "Traceback" not in err
        replayed = len(cli.entries())
        assert replayed == 1 + len(out.splitlines()) < 500
        assert f"replayed {replayed} dead letter" in err
        assert numbers(cli) == Counter(range(500))

    @pytest.mark.parametrize("words", [["replay"], ["replay", "--yes"], ["purge"], ["purge", "--yes"]])
    def test_ctrl_c_stops_a_search_without_matches(
        self, cli: OperatorCli, monkeypatch: pytest.MonkeyPatch, words: list[str]
    ) -> None:
        """It stops after the current page."""
        cli.died(20)
        shown: list[str] = []

        def show(_: Progress, text: str) -> None:
            shown.append(text)
            if len(shown) == 1:
                signal.raise_signal(signal.SIGINT)

        monkeypatch.setattr(Progress, "show", show)
        ran = cli.penstock("dlq", words[0], "trial", "--error", "none has this", *words[1:])
        assert ran.code == 1
        assert "stopped" in ran.err
        assert re.search(r"^(\d) dead letters were checked, and none matches$", ran.err, re.MULTILINE)
        assert all("checked" in text for text in shown), "progress shows the number of dead letters read"

    @pytest.mark.parametrize("words", [["replay", "--yes"], ["purge", "--yes"]])
    def test_ctrl_c_stops_between_two_ids(
        self, cli: OperatorCli, monkeypatch: pytest.MonkeyPatch, words: list[str]
    ) -> None:
        """Of missing ids, the rest is not looked up."""
        shown: list[str] = []

        def show(_: Progress, text: str) -> None:
            shown.append(text)
            if len(shown) == 1:
                signal.raise_signal(signal.SIGINT)

        monkeypatch.setattr(Progress, "show", show)
        ran = cli.penstock("dlq", words[0], "trial", *(f"5-{n}" for n in range(50)), *words[1:])
        assert ran.code == 1
        assert ran.err.count("no dead letter `") < 3

    def test_a_stopped_purge_deletes_no_more(self, cli: OperatorCli, monkeypatch: pytest.MonkeyPatch) -> None:
        """Not even dead letters that it has already read."""
        ids = cli.died(20)

        def show(_: Progress, text: str) -> None:
            if "checked 4" in text:
                signal.raise_signal(signal.SIGINT)

        monkeypatch.setattr(Progress, "show", show)
        ran = cli.penstock("dlq", "purge", "trial", "--all", "--yes", "--json")
        assert (ran.code, ran.objects) == (1, [])
        assert "stopped; run it again for the rest" in ran.err
        assert list(cli.dead()) == ids

    @pytest.mark.parametrize("verb", ["replay", "purge"])
    def test_a_lost_reply_is_retried(self, server: Server, cli: OperatorCli, verb: str) -> None:
        """By then the dead letter is gone; it counts as replayed and is not replayed twice."""
        driver = PipelineDriver(server, "")
        ids = [str(driver.ask("XADD", driver.keys.dead, "*", "data", f'{{"n": {n}}}')) for n in range(3)]
        with Cable(server.port) as cable:
            target = Target(server.model().model_copy(update={"addresses": [cable.address]}), Credentials(), [server])
            results: list[Any] = []

            async def scenario() -> None:
                link = target.link()
                log_lines: list[str] = []

                def mend(text: str) -> None:
                    log_lines.append(text)
                    cable.mend()

                retries = Retrier(mend)
                scan = DeadLetterScan(link, driver.keys, cli.reader, ask=retries)
                await scan.now()

                async def dead_letters() -> Any:  # noqa: ANN401 - an iterator of dead letters
                    async for one in scan.named(ids):
                        if one.id == ids[1]:
                            cable.lose_answers()
                        yield one

                if verb == "replay":
                    replayed = Replayer(link, driver.keys, Pace(None), ask=retries).replay(dead_letters())
                    results.extend([(one.entry is not None, one.trouble) async for one in replayed])
                else:
                    purged = purge(link, driver.keys, dead_letters(), ask=retries)
                    results.extend([(len(one.deleted), len(one.gone)) async for one in purged])
                await link.close()
                assert [line.partition(":")[0] for line in log_lines] == [
                    "Redis is unreachable, retrying",
                    "Redis is reachable again",
                ]

            run_async(scenario())
        assert cable.lost.is_set()
        assert driver.listed("XRANGE", driver.keys.dead, "-", "+") == []
        if verb == "replay":
            assert results == [(True, ""), (False, ""), (True, "")]
            assert len(driver.entries()) == 3
        else:
            assert results == [(3, 0)]

    def test_an_outage_of_redis_reports_the_progress(
        self, server: Server, cli: OperatorCli, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Run again after the outage, it replays the rest."""
        monkeypatch.setattr("penstock.operating.reach.WAITS", (0.01, 0.01))
        driver = PipelineDriver(server, "")
        for n in range(300):
            driver.ask("XADD", driver.keys.dead, "*", "data", f'{{"n": {n}}}')
        arguments = ["dlq", "replay", "trial", "--all", "--yes", "--rate", "100/s", "--json"]

        def kill() -> None:
            wait_for(lambda: driver.number("XLEN", driver.keys.stream) > 3, "more than 3 messages are replayed")
            server.kill()

        killer = threading.Thread(target=kill)
        killer.start()
        ran = cli.penstock(*arguments, redis=server.url)
        killer.join()
        assert ran.code == 1
        assert "error: Redis is unreachable" in ran.err
        assert "run it again for the rest" in ran.err
        server.start()
        replayed = len(driver.entries())
        assert replayed - len(ran.objects) in (0, 1), "the reply to the last step may have been lost"
        assert cli.penstock("dlq", "replay", "trial", "--all", "--yes", "--rate", "off", redis=server.url).code == 0
        assert Counter(json.loads(one[1][1])["n"] for one in driver.listed("XRANGE", "trial", "-", "+")) == Counter(
            range(300)
        )


class TestPurge:
    """`dlq purge` deletes dead letters."""

    @pytest.mark.wire
    def test_only_selected_dead_letters_are_deleted(self, cli: OperatorCli) -> None:
        cli.died(150, error="ValueError: no")
        others = cli.died(2, error="TimeoutError: too long")
        ran = cli.penstock("dlq", "purge", "trial", "--error", "ValueError", "--yes")
        assert (ran.code, ran.out) == (0, "deleted 150 dead letters of `trial`\n")
        assert list(cli.dead()) == others

    def test_json_has_one_object_per_message(self, cli: OperatorCli) -> None:
        ids = cli.died(3)
        ran = cli.penstock("dlq", "purge", "trial", *ids, "--yes", "--json")
        assert [one["id"] for one in ran.objects] == ids

    def test_a_dead_letter_deleted_by_others_is_not_reported_as_purged(
        self, cli: OperatorCli, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """It is named, and the exit code is 1."""
        ids = cli.died(3)
        belongs_to = DeadLetter.belongs_to

        def deletes_first(dead_letter: DeadLetter, keys: PipelineKeys) -> bool:
            if dead_letter.id == ids[1]:
                cli.ask("XDEL", keys.dead, dead_letter.id)
            return belongs_to(dead_letter, keys)

        monkeypatch.setattr(DeadLetter, "belongs_to", deletes_first)
        ran = cli.penstock("dlq", "purge", "trial", "--all", "--yes", "--json")
        assert [one["id"] for one in ran.objects] == [ids[0], ids[2]]
        assert f"{ids[1]}: not deleted: it no longer exists" in ran.err
        assert "deleted 2 dead letters" in ran.err
        assert ran.code == 1

    @pytest.mark.parametrize("verb", ["replay", "purge"])
    def test_messages_that_die_meanwhile_stay(
        self, cli: OperatorCli, monkeypatch: pytest.MonkeyPatch, verb: str
    ) -> None:
        """Also when there was no dead letter at its start."""
        last = DeadLetterScan.last

        async def dies_after(scan: DeadLetterScan) -> str:
            newest = await last(scan)
            cli.dies(b"data", b'{"n": 1}')
            return newest

        monkeypatch.setattr(DeadLetterScan, "last", dies_after)
        for before in (0, 1):
            ran = cli.penstock("dlq", verb, "trial", "--all", "--yes")
            assert (ran.code, len(cli.dead())) == (1 - before, 1)
            assert cli.entries() == [] or (verb, before) == ("replay", 1)


class TestPace:
    """`--rate` limits the pace of a replay."""

    @pytest.mark.parametrize(("text", "rate"), [("100/s", 100.0), ("30/m", 0.5), ("36/h", 0.01), ("off", None)])
    def test_rates_are_parsed(self, text: str, rate: float | None) -> None:
        assert rate_of(text) == rate

    @pytest.mark.parametrize("text", ["100", "0/s", "-1/s", "1/d", "", "1.5/s", "/s"])
    def test_invalid_rates_are_refused(self, cli: OperatorCli, text: str) -> None:
        ran = cli.penstock("dlq", "replay", "trial", "--all", f"--rate={text}")
        assert ran.code == 2
        assert "write it as `100/s`" in ran.err

    def test_the_pace_is_even_without_catching_up(self) -> None:
        """After a pause of Redis one dead letter goes at once; then the pace is as before."""
        now, slept = 0.0, []

        async def sleep(seconds: float) -> None:
            nonlocal now
            slept.append(round(seconds, 6))
            now += seconds

        async def scenario() -> None:
            nonlocal now
            pace = Pace(10, clock=lambda: now, sleep=sleep)
            for took in (0, 0, 0.04, 5, 0, 0, 0, 0):
                await pace.turn()
                now += took

        run_async(scenario())
        assert slept == [0.1, 0.1, 0.06, 0.1, 0.1]


@pytest.mark.wire
def test_dead_letters_in_another_slot_are_refused(cli: OperatorCli) -> None:
    """No script can move them between slots."""
    spec = cli.pipeline.spec
    dead = spec.dead_letter.model_copy(update={"key": "elsewhere"})
    pipeline = PipelineDriver(cli.trial.target, "dead_letter: {key: elsewhere}").pipeline
    assert pipeline.spec.dead_letter == dead
    redis = pipeline.redis.model_copy(update={"topology": "cluster"})
    with pytest.raises(CannotGoOn, match="different slots"):
        check_slots(pipeline.on(redis))
    check_slots(cli.pipeline.on(redis))
