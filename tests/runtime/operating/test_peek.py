"""`penstock peek` shows the messages of the backlog and changes none."""

from __future__ import annotations

import itertools
import re
from typing import get_args

import pytest
from operator_cli import OperatorCli

from penstock.command import peek
from penstock.operating.packed import unpacked_fields
from penstock.operating.waiting import State

LATER = "01ARZ3NDEKTSV4RRFFQ69G5FA0"


def filled(cli: OperatorCli) -> dict[str, list[str]]:
    """Adds messages in every state; returns their ids by state."""
    driver = cli.driver
    driver.create_group()
    ids = driver.add(3 + 4 + 2 + 2 + 2)
    first_consumer, second_consumer = driver.join_group(), driver.join_group()
    added = {"running": driver.read(first_consumer, 3) + driver.read(second_consumer, 1)}
    for state in ("ready", "suspect", "parked"):
        added[state] = driver.read(driver.join_group(), 2)
        if state == "parked":
            driver.park(added[state][:1], wait=7_200_000)
            driver.park(added[state][1:], wait=3_600_000)
        else:
            driver.ask("XCLAIM", driver.keys.stream, driver.keys.group, f"~{state}", 0, *added[state], "JUSTID")
    driver.ask("HSET", driver.keys.uncharged, added["ready"][0], 1)
    keys = (cli.keys.stream, cli.keys.delayed, cli.keys.bodies, cli.keys.position)
    fields = ("data", '{"n": 77, "secret": "x"}')
    driver.run("send", keys, cli.keys.group, "until-done", 100, "reject", 0, LATER, 60_000, len(fields), *fields)
    return added | {"new": ids[-3:], "delayed": [LATER]}


@pytest.mark.wire
def test_the_backlog_is_shown_by_state(cli: OperatorCli) -> None:
    """The oldest comes first; of parked messages, the one that is due next."""
    added = filled(cli)
    rows = cli.penstock("peek", "trial", "--json").objects
    by_state = {
        state: [one["id"] for one in group] for state, group in itertools.groupby(rows, lambda one: one["state"])
    }
    assert by_state == {**added, "parked": added["parked"][::-1]}
    assert list(by_state) == list(get_args(State))


def test_a_row_describes_its_message(cli: OperatorCli) -> None:
    """Its attempts, consumer, idle time, due time and log fields."""
    added = filled(cli)
    rows = {one["id"]: one for one in cli.penstock("peek", "trial", "--json").objects}
    assert [rows[id_]["attempts"] for id_ in added["ready"]] == [0, 1]
    running = rows[added["running"][0]]
    assert (running["attempts"], running["fields"]) == (1, {"n": 0})
    assert running["consumer"].startswith("worker~")
    assert running["idle_seconds"] >= 0
    assert [
        3500 < rows[id_]["due_in_seconds"] <= 3600 * n for n, id_ in ((2, added["parked"][0]), (1, added["parked"][1]))
    ]
    assert 0 < rows[LATER]["due_in_seconds"] <= 60
    assert rows[LATER]["fields"] == {"n": 77}


def test_tables_fit_into_80_columns(cli: OperatorCli) -> None:
    """Each state has a table with its count."""
    added = filled(cli)
    out = cli.penstock("peek", "trial", "--limit", "1").out
    headings = [line for line in out.splitlines() if line.partition(":")[0] in get_args(State)]
    assert headings == ["new: 3", "running: 4", "ready: 2", "suspect: 2", "parked: 2", "delayed: 1"]
    assert added["new"][0] in out
    assert added["new"][1] not in out
    assert max(map(len, out.splitlines())) <= 80


def test_the_state_option_selects_one_state(cli: OperatorCli) -> None:
    added = filled(cli)
    for state in get_args(State):
        rows = cli.penstock("peek", "trial", "--state", state, "--json").objects
        assert {one["id"] for one in rows} == set(added[state])


def test_an_id_selects_one_message(cli: OperatorCli) -> None:
    """In whichever state it is."""
    added = filled(cli)
    for state, ids in added.items():
        [row] = cli.penstock("peek", "trial", ids[-1], "--json").objects
        assert (row["state"], row["id"]) == (state, ids[-1])
    [parked] = cli.penstock("peek", "trial", added["parked"][0], "--json").objects
    assert 7100 < parked["due_in_seconds"] <= 7200
    assert (
        f"state:    parked\nid:       {added['parked'][0]}\n" in cli.penstock("peek", "trial", added["parked"][0]).out
    )


def test_bodies_are_shown_only_with_the_option(cli: OperatorCli) -> None:
    filled(cli)
    for options in (["--state", "delayed"], [LATER], ["--state", "delayed", "--json"], [LATER, "--json"]):
        assert "secret" not in cli.penstock("peek", "trial", *options).out
        assert "secret" in cli.penstock("peek", "trial", *options, "--bodies").out


def test_peek_changes_nothing(cli: OperatorCli) -> None:
    """Not even the idle time of a pending entry."""
    added = filled(cli)
    before = cli.driver.everything()
    for options in ([], ["--bodies"], [added["running"][0]], [LATER], ["--json"]):
        cli.penstock("peek", "trial", *options)
    assert cli.driver.everything() == before


def test_a_deleted_message_is_marked(cli: OperatorCli) -> None:
    """It is pending, but the stream has no entry for it."""
    added = filled(cli)
    cli.ask("XDEL", cli.keys.stream, added["running"][0])
    [row] = [one for one in cli.penstock("peek", "trial", "--json").objects if one["id"] == added["running"][0]]
    assert row["deleted"]
    assert "(deleted from the stream)" in cli.penstock("peek", "trial", "--state", "running").out


def test_without_a_group_every_message_is_new(cli: OperatorCli) -> None:
    ids = cli.driver.add(2)
    ran = cli.penstock("peek", "trial", "--json")
    assert [(one["state"], one["id"]) for one in ran.objects] == [("new", id_) for id_ in ids]
    assert "the group `trial` does not exist" in ran.err
    [row] = cli.penstock("peek", "trial", ids[1], "--json").objects
    assert row["state"] == "new"


def test_an_entry_that_is_not_pending_is_marked(cli: OperatorCli) -> None:
    """It was delivered and is not pending; the janitor will bring it back."""
    cli.driver.create_group()
    [id_] = cli.driver.add(1)
    cli.driver.read(cli.driver.join_group())
    cli.ask("XACK", cli.keys.stream, cli.keys.group, id_)
    [row] = cli.penstock("peek", "trial", id_, "--json").objects
    assert row["state"] == "pending nowhere"


@pytest.mark.parametrize("words", [[], ["--state", "parked"], ["5-5"], [LATER]])
def test_no_match_sets_the_exit_code(cli: OperatorCli, words: list[str]) -> None:
    """With and without a group, with and without a stream."""
    for has_group in (False, True):
        if has_group:
            cli.driver.create_group()
        ran = cli.penstock("peek", "trial", *words)
        assert (ran.code, ran.out) == (1, "")
        assert ran.err


@pytest.mark.parametrize("words", [["latest"], ["1"], ["5-5", "--state", "new"]])
def test_contradictory_options_are_refused(cli: OperatorCli, words: list[str]) -> None:
    ran = cli.penstock("peek", "trial", *words)
    assert ran.code == 2
    assert "hint: " in ran.err


def test_the_state_option_accepts_every_state() -> None:
    assert get_args(State) == peek.STATES


@pytest.mark.parametrize("count", [2, 14, 16, 30, 1980])
@pytest.mark.parametrize("size", [0, 5, 31, 32, 255, 256, 65_535, 70_000])
def test_fields_packed_by_redis_are_unpacked(cli: OperatorCli, count: int, size: int) -> None:
    """The fields of a delayed message, whatever their number and length."""
    if count * size > 20_000_000:
        return
    fields = ["\u00e9" + "x" * max(size - 2, 0) if n % 2 else str(n) for n in range(count)]
    keys = (cli.keys.stream, cli.keys.delayed, cli.keys.bodies, cli.keys.position)
    arguments: list[str | float] = [LATER, 60_000, count, *fields]
    cli.driver.run("send", keys, cli.keys.group, "until-done", 100, "reject", 0, *arguments)
    [row] = cli.penstock("peek", "trial", LATER, "--json", "--bodies").objects
    assert [part for one in row["entry"] for part in (one["name"], one["value"])] == fields


@pytest.mark.parametrize("packed", [b"", b"\x91", b"\x92\xa1a", b"\x91\xa1ab", b"\x80", b"\x91\x05", b"\xdc\x00"])
def test_other_formats_are_refused(packed: bytes) -> None:
    with pytest.raises(ValueError, match="packed"):
        unpacked_fields(packed)


def test_foreign_values_break_no_output(cli: OperatorCli) -> None:
    """Each body, due time or count that Penstock did not write is named; everything else is shown."""
    added = filled(cli)
    cli.ask("HSET", cli.keys.bodies, LATER, "not a body")
    cli.ask("ZADD", cli.keys.delayed, "inf", LATER)
    cli.ask("HSET", cli.keys.uncharged, added["ready"][0], "many")
    ran = cli.penstock("peek", "trial", "--json")
    rows = {one["id"]: one for one in ran.objects}
    assert (ran.code, list(rows)) == (
        0,
        [id_ for state in get_args(State) for id_ in in_output_order(state, added[state])],
    )
    assert rows[LATER] | {"unreadable": "its body has an unknown format", "deleted": False, "fields": {}} == rows[LATER]
    assert rows[LATER]["due_in_seconds"] is None
    assert rows[added["ready"][0]]["attempts"] is None
    for options in (["--state", "delayed"], [LATER], [LATER, "--bodies"]):
        ran = cli.penstock("peek", "trial", *options)
        assert (ran.code, ran.err) == (0, "")
        assert "(its body has an unknown format)" in ran.out
    out = cli.penstock("peek", "trial", "--state", "ready").out
    assert re.search(rf"^{added['ready'][0]} +\S+ +- ", out, re.MULTILINE)


def in_output_order(state: str, ids: list[str]) -> list[str]:
    """In the order of the output: parked messages by their due time."""
    return ids[::-1] if state == "parked" else ids
