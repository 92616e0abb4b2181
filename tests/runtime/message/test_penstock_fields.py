"""The fields of Penstock survive the round trip; malformed ones are ignored."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.message.death_history import LONGEST, Death, read_history, write_history
from penstock.message.penstock_fields import NOTHING, own_fields_of, write_own_fields
from penstock.message.unreadable import Unreadable

ULID = "01M7QRV2B69659CEA944DKN6FY"
PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
TEXT = st.text(st.characters(codec="utf-8"), max_size=20)
DEATHS = st.lists(st.builds(Death, TEXT, TEXT, TEXT, st.integers(1, 1000), st.integers(0, 2**48)), max_size=5)


def entry(**own: bytes) -> list[bytes]:
    """Return an entry with a body and these fields of Penstock."""
    return [b"data", b"{}", *(part for name, value in own.items() for part in (f"penstock-{name}".encode(), value))]


@given(st.none() | st.binary(max_size=20), st.booleans(), DEATHS)
def test_written_fields_are_read_unchanged(key: bytes | None, traced: bool, story: list[Death]) -> None:  # noqa: FBT001 - made by hypothesis
    trace = {"traceparent": PARENT, "tracestate": "a=1"} if traced else {}
    own = own_fields_of([b"data", b"{}", *write_own_fields(ULID, key=key, trace=trace, deaths=story)])
    read_trace = {"traceparent": own.parent, "tracestate": own.state} if own.parent else {}
    assert read_trace == {name: value.encode() for name, value in trace.items()}
    assert (own.id, own.key, own.version, own.deaths) == (ULID, key, b"1", tuple(story))


def test_a_message_of_another_sender_has_no_penstock_fields() -> None:
    own = own_fields_of([b"data", b"{}", b"sent-by", b"cron"])
    assert own is NOTHING
    assert (own.id, own.key, own.version, own.parent, own.state, own.deaths) == (None, None, None, None, None, ())


def test_the_first_of_two_equal_fields_counts() -> None:
    assert own_fields_of(entry(key=b"one") + entry(key=b"two")).key == b"one"


def test_a_value_is_never_read_as_a_name() -> None:
    assert own_fields_of([b"data", b"penstock-version", b"penstock-key", b"a", b"note", b"penstock-key"]).key == b"a"


def test_a_trace_works_without_a_state() -> None:
    own = own_fields_of([b"data", b"{}", *write_own_fields(ULID, trace={"traceparent": PARENT, "tracestate": ""})])
    assert (own.parent, own.state) == (PARENT.encode(), None)
    own = own_fields_of([b"data", b"{}", *write_own_fields(ULID, trace={"tracestate": "a=1"})])
    assert (own.parent, own.state) == (None, None)


@pytest.mark.parametrize("raw", [b"", b"7", ULID.lower().encode(), b"\xff" * 26, ULID.encode() * 2])
def test_an_id_that_is_not_a_ulid_is_ignored(raw: bytes) -> None:
    assert own_fields_of(entry(id=raw)).id is None


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        (b"2", "2"),
        (b"999999999", "999999999"),
        (b"1.1", "not a number"),
        (b"", "not a number"),
        (b"hunter2", "not a number"),
        (b"\xff", "not a number"),
        (b"1" * 1000, "not a number"),
        (b" 1", "not a number"),
    ],
)
def test_an_unknown_version_makes_the_message_unreadable(raw: bytes, shown: str) -> None:
    with pytest.raises(Unreadable) as error:
        own_fields_of(entry(version=raw))
    assert error.value.reason == ("newer-version" if shown.isdigit() and int(shown) > 1 else "version")
    assert error.value.says == f"its version is {shown}, but this Penstock only knows 1"


def death(number: int) -> Death:
    return Death(f"{number}-0", "failed", "ValueError", 3, number)


def test_a_death_history_keeps_the_newest_deaths() -> None:
    """A message that is replayed forever must not grow forever."""
    deaths = [death(number) for number in range(LONGEST + 5)]
    assert read_history(write_history(deaths)) == tuple(deaths[5:])
    assert len(read_history(json.dumps(json.loads(write_history(deaths)) * 9).encode())) == LONGEST


@pytest.mark.parametrize(
    "raw",
    [
        b"no JSON",
        b"{}",
        b"7",
        b"\xff",
        b"[" * 10_000,
        b'[7, {}, {"id": 5}]',
        b'[{"id": "1-0", "reason": "failed", "error": "E", "attempts": "3", "at": 5}]',
    ],
)
def test_a_malformed_death_history_is_ignored(raw: bytes) -> None:
    assert own_fields_of(entry(story=raw)).deaths == ()


def test_a_lone_surrogate_does_not_end_a_death_history() -> None:
    assert read_history(write_history([Death("1-0", "failed", "\ud800", 1, 1)]))[0].error == "?"
