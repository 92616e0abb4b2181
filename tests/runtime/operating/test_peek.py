"""`penstock peek` shows what waits, and leaves it where it is."""

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
    """Some in every state, by their ids; of each attempt one."""
    driver = cli.driver
    driver.create_group()
    ids = driver.add(3 + 4 + 2 + 2 + 2)
    first, second = driver.join_group(), driver.join_group()
    found = {"running": driver.read(first, 3) + driver.read(second, 1)}
    for state in ("ready", "suspect", "parked"):
        found[state] = driver.read(driver.join_group(), 2)
        if state == "parked":
            driver.park(found[state][:1], wait=7_200_000)
            driver.park(found[state][1:], wait=3_600_000)
        else:
            driver.ask("XCLAIM", driver.keys.stream, driver.keys.group, f"~{state}", 0, *found[state], "JUSTID")
    driver.ask("HSET", driver.keys.uncharged, found["ready"][0], 1)
    keys = (cli.keys.stream, cli.keys.delayed, cli.keys.bodies, cli.keys.position)
    fields = ("data", '{"n": 77, "secret": "x"}')
    driver.run("send", keys, cli.keys.group, "until-done", 100, "reject", 0, LATER, 60_000, len(fields), *fields)
    return found | {"new": ids[-3:], "delayed": [LATER]}


@pytest.mark.wire
def test_all_that_waits_is_shown_by_state(cli: OperatorCli) -> None:
    """With the oldest first, and of what is parked that which is due next."""
    found = filled(cli)
    told = cli.penstock("peek", "trial", "--json").objects
    by_state = {state: [one["id"] for one in ones] for state, ones in itertools.groupby(told, lambda one: one["state"])}
    assert by_state == {**found, "parked": found["parked"][::-1]}
    assert list(by_state) == list(get_args(State))


def test_a_message_tells_how_it_is(cli: OperatorCli) -> None:
    """Attempts, who has it, for how long, when it is due, and what it is about."""
    found = filled(cli)
    told = {one["id"]: one for one in cli.penstock("peek", "trial", "--json").objects}
    assert [told[id_]["attempts"] for id_ in found["ready"]] == [0, 1]
    running = told[found["running"][0]]
    assert (running["attempts"], running["fields"]) == (1, {"n": 0})
    assert running["consumer"].startswith("worker~")
    assert running["idle_seconds"] >= 0
    assert [
        3500 < told[id_]["due_in_seconds"] <= 3600 * n for n, id_ in ((2, found["parked"][0]), (1, found["parked"][1]))
    ]
    assert 0 < told[LATER]["due_in_seconds"] <= 60
    assert told[LATER]["fields"] == {"n": 77}


def test_people_read_it_in_tables(cli: OperatorCli) -> None:
    """Each with its count; no wider than 80 columns."""
    found = filled(cli)
    out = cli.penstock("peek", "trial", "--limit", "1").out
    headings = [line for line in out.splitlines() if line.partition(":")[0] in get_args(State)]
    assert headings == ["new: 3", "running: 4", "ready: 2", "suspect: 2", "parked: 2", "delayed: 1"]
    assert found["new"][0] in out
    assert found["new"][1] not in out
    assert max(map(len, out.splitlines())) <= 80


def test_one_state_alone(cli: OperatorCli) -> None:
    found = filled(cli)
    for state in get_args(State):
        told = cli.penstock("peek", "trial", "--state", state, "--json").objects
        assert {one["id"] for one in told} == set(found[state])


def test_one_message_by_its_id(cli: OperatorCli) -> None:
    """Wherever it is."""
    found = filled(cli)
    for state, ids in found.items():
        [told] = cli.penstock("peek", "trial", ids[-1], "--json").objects
        assert (told["state"], told["id"]) == (state, ids[-1])
    [parked] = cli.penstock("peek", "trial", found["parked"][0], "--json").objects
    assert 7100 < parked["due_in_seconds"] <= 7200
    assert (
        f"state:    parked\nid:       {found['parked'][0]}\n" in cli.penstock("peek", "trial", found["parked"][0]).out
    )


def test_bodies_are_shown_only_where_that_is_asked_for(cli: OperatorCli) -> None:
    filled(cli)
    for words in (["--state", "delayed"], [LATER], ["--state", "delayed", "--json"], [LATER, "--json"]):
        assert "secret" not in cli.penstock("peek", "trial", *words).out
        assert "secret" in cli.penstock("peek", "trial", *words, "--bodies").out


def test_nothing_is_taken_or_changed(cli: OperatorCli) -> None:
    """Not even how long something has been idle."""
    found = filled(cli)
    before = cli.driver.everything()
    for words in ([], ["--bodies"], [found["running"][0]], [LATER], ["--json"]):
        cli.penstock("peek", "trial", *words)
    assert cli.driver.everything() == before


def test_a_deleted_message_is_marked(cli: OperatorCli) -> None:
    """It is pending, and there is nothing of it."""
    found = filled(cli)
    cli.ask("XDEL", cli.keys.stream, found["running"][0])
    [told] = [one for one in cli.penstock("peek", "trial", "--json").objects if one["id"] == found["running"][0]]
    assert told["deleted"]
    assert "(deleted from the stream)" in cli.penstock("peek", "trial", "--state", "running").out


def test_without_a_group_all_is_new(cli: OperatorCli) -> None:
    ids = cli.driver.add(2)
    ran = cli.penstock("peek", "trial", "--json")
    assert [(one["state"], one["id"]) for one in ran.objects] == [("new", id_) for id_ in ids]
    assert "the group `trial` does not exist" in ran.err
    [told] = cli.penstock("peek", "trial", ids[1], "--json").objects
    assert told["state"] == "new"


def test_an_entry_that_is_not_pending_is_marked(cli: OperatorCli) -> None:
    """It was given out, and is pending nowhere: the janitor will bring it back."""
    cli.driver.create_group()
    [id_] = cli.driver.add(1)
    cli.driver.read(cli.driver.join_group())
    cli.ask("XACK", cli.keys.stream, cli.keys.group, id_)
    [told] = cli.penstock("peek", "trial", id_, "--json").objects
    assert told["state"] == "pending nowhere"


@pytest.mark.parametrize("words", [[], ["--state", "parked"], ["5-5"], [LATER]])
def test_finding_nothing_sets_the_exit_code(cli: OperatorCli, words: list[str]) -> None:
    """With a group and without, with a stream and without."""
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


def test_the_states_that_may_be_named_are_all_there_are() -> None:
    assert get_args(State) == peek.STATES


@pytest.mark.parametrize("count", [2, 14, 16, 30, 1980])
@pytest.mark.parametrize("size", [0, 5, 31, 32, 255, 256, 65_535, 70_000])
def test_fields_packed_by_redis_are_unpacked(cli: OperatorCli, count: int, size: int) -> None:
    """A delayed message's fields, as many and as long as they may be."""
    if count * size > 20_000_000:
        return
    fields = ["\u00e9" + "x" * max(size - 2, 0) if n % 2 else str(n) for n in range(count)]
    keys = (cli.keys.stream, cli.keys.delayed, cli.keys.bodies, cli.keys.position)
    words: list[str | float] = [LATER, 60_000, count, *fields]
    cli.driver.run("send", keys, cli.keys.group, "until-done", 100, "reject", 0, *words)
    [told] = cli.penstock("peek", "trial", LATER, "--json", "--bodies").objects
    assert [part for one in told["entry"] for part in (one["name"], one["value"])] == fields


@pytest.mark.parametrize("packed", [b"", b"\x91", b"\x92\xa1a", b"\x91\xa1ab", b"\x80", b"\x91\x05", b"\xdc\x00"])
def test_other_formats_are_refused(packed: bytes) -> None:
    with pytest.raises(ValueError, match="packed"):
        unpacked_fields(packed)


def test_foreign_values_break_nothing(cli: OperatorCli) -> None:
    """A delayed body, a due time and a count that are none of ours: all else is shown, and each of these is named."""
    found = filled(cli)
    cli.ask("HSET", cli.keys.bodies, LATER, "no body of ours")
    cli.ask("ZADD", cli.keys.delayed, "inf", LATER)
    cli.ask("HSET", cli.keys.uncharged, found["ready"][0], "many")
    ran = cli.penstock("peek", "trial", "--json")
    told = {one["id"]: one for one in ran.objects}
    assert (ran.code, list(told)) == (0, [id_ for state in get_args(State) for id_ in order(state, found[state])])
    assert told[LATER] | {"unreadable": "its body has an unknown format", "deleted": False, "fields": {}} == told[LATER]
    assert told[LATER]["due_in_seconds"] is None
    assert told[found["ready"][0]]["attempts"] is None
    for words in (["--state", "delayed"], [LATER], [LATER, "--bodies"]):
        ran = cli.penstock("peek", "trial", *words)
        assert (ran.code, ran.err) == (0, "")
        assert "(its body has an unknown format)" in ran.out
    out = cli.penstock("peek", "trial", "--state", "ready").out
    assert re.search(rf"^{found['ready'][0]} +\S+ +- ", out, re.MULTILINE)


def order(state: str, ids: list[str]) -> list[str]:
    """As they are shown: of what is parked that first which is due next."""
    return ids[::-1] if state == "parked" else ids
