"""Entries that no worker can read become dead letters unchanged, and the log quotes nothing of them."""

from collections.abc import Callable

import pytest
from entries import add, entries
from http_probes import numbers, until_counted
from ledger import by_message, read
from pipelines import DEAD, Trial

from penstock.observe.events import Event
from penstock.worker.dead_letter import unpack_fields

SECRET = "c4n4ry-0f-4-b0dy"  # noqa: S105 - text of a body, which must stay secret
HANDLERS = """\
import logging
import ledger

async def handle(message, context):
    context.log.info("looking at it")
    logging.getLogger("theirs").info("and again")
    ledger.note("ran", message["id"], context.fence)
    if "fail" in message:
        raise RuntimeError(message["secret"])
"""
SPEC = """\
retries: {attempts: 1}
message:
  max_size: 64Ki
  log_fields: [shown]
  schema:
    type: object
    required: [id]
    properties: {id: {type: string}, shown: {type: string}, secret: {type: string}, fail: {}}
"""


def body(text: str) -> list[bytes]:
    """A body as JSON, in its field."""
    return [b"data", text.encode()]


def of_size(size: int) -> list[bytes]:
    """A body of this many bytes."""
    return body('{"id": "full", "secret": "' + SECRET.ljust(size - 28, "x") + '"}')


MANY = [part for number in range(5000) for part in (b"name-%d" % number, b"\xff%d" % number)]
HOSTILE: dict[str, tuple[list[bytes], str]] = {
    "no body": ([b"other", SECRET.encode()], "no-body"),
    "0 bytes": ([b"data", b""], "no-body"),
    "limit + 1": (of_size(64 * 1024 + 1), "too-large"),
    "NaN": (body(f'{{"id": "a", "secret": "{SECRET}", "n": NaN}}'), "not-json"),
    "1e999": (body('{"id": "a", "n": 1e999}'), "not-json"),
    "10,000 levels": (body('{"a":' * 10_000 + "1" + "}" * 10_000), "not-json"),
    "not UTF-8": ([b"data", b'{"id": "\xff\xfe' + SECRET.encode() + b'"}'], "not-utf-8"),
    "a list": (body(f'["{SECRET}"]'), "schema"),
    "a missing field": (body(f'{{"secret": "{SECRET}"}}'), "schema"),
    "another type": (body(f'{{"id": ["{SECRET}"]}}'), "schema"),
    "another version": ([*body('{"id": "a"}'), b"penstock-version", b"0"], "version"),
    "no version": ([*body('{"id": "a"}'), b"penstock-version", SECRET.encode()], "version"),
    "lone surrogate": (body(f'{{"id": "a", "secret": "\\ud800{SECRET}"}}'), "not-json"),
    "a mark": ([b"data", b"\xef\xbb\xbf{}"], "not-json"),
    "binary names": ([b"\x00\xff\n" + SECRET.encode(), b"\r\x00", b"data", b"{" + SECRET.encode()], "not-json"),
    "5,000 fields": (MANY, "no-body"),
}


def test_unreadable_messages_are_kept_unchanged(make_trial: Callable[..., Trial]) -> None:
    """Each becomes a dead letter with its fields byte for byte, the worker continues, and the log quotes nothing."""
    with make_trial(handlers=HANDLERS, spec=SPEC) as trial:
        ids = {add(trial, ["data", '{"id": "odd"}'], "1-1"): "odd"}
        add(trial, of_size(64 * 1024))
        ids |= {add(trial, fields): name for name, (fields, _) in HOSTILE.items()}
        worker = trial.worker().ready()
        trial.until_drained()

        dead_letters = {}
        for _, fields in entries(trial, DEAD):
            added = dict(zip(fields[::2], fields[1::2], strict=True))
            dead_letters[ids[added[b"penstock-dead-id"].decode()]] = (fields, added)
        assert set(dead_letters) == set(HOSTILE)
        for name, (sent, reason) in HOSTILE.items():
            fields, added = dead_letters[name]
            original = unpack_fields(fields[1]) if fields[0] == b"penstock-dead-packed" else fields[: len(sent)]
            assert original == sent, name
            assert added[b"penstock-dead-reason"] == b"unreadable"
            assert added[b"penstock-dead-error"].startswith(reason.encode()), (name, added[b"penstock-dead-error"])
            assert added[b"penstock-dead-attempts"] == b"1"
        assert dead_letters["5,000 fields"][0][0] == b"penstock-dead-packed"
        assert set(by_message(read(trial.ledger), "ran")) == {"odd", "full"}, (
            "an unusual id and a body at the limit are fine"
        )
        until_counted(worker, "dead", len(HOSTILE))
        assert numbers(worker).by("dead", "reason") == {"unreadable": len(HOSTILE)}
        assert {line["reason"] for line in worker.events(Event.MESSAGE_UNREADABLE)} == {
            reason for _, reason in HOSTILE.values()
        }
        assert SECRET not in worker.log()
        assert worker.end() == 0
        trial.assert_nothing_left()


@pytest.mark.parametrize(("isolation", "log_format"), [("none", "json"), ("process", "text")])
def test_nothing_of_a_body_is_logged(make_trial: Callable[..., Trial], isolation: str, log_format: str) -> None:
    """No body, field name, key or exception text appears; only the fields in `message.log_fields`."""
    with make_trial(handlers=HANDLERS, spec=f"{SPEC}work: {{lease: 10s, isolation: {isolation}}}\n") as trial:
        worker = trial.worker("--log-format", log_format)
        text = f'{{"id": "a", "secret": "{SECRET}", "shown": "for-all-to-see", "fail": 1}}'
        own = (b"penstock-id", SECRET.encode(), b"penstock-key", SECRET.encode(), SECRET.encode(), b"1")
        add(trial, [*body(text), *own])
        trial.until_drained()
        [dead_letter] = trial.dead()
        assert dead_letter["penstock-dead-error"] == f"RuntimeError: {SECRET}", (
            "the dead letter has the text of the exception"
        )
        assert worker.end() == 0
        log = worker.log()
        assert SECRET not in log
        for text in ("looking at it", "and again", Event.MESSAGE_FAILED, Event.MESSAGE_DEAD):
            assert text in log
        assert log.count("for-all-to-see") == 4


FLAT = """\
import ledger

async def handle(message, context):
    ledger.note(",".join(sorted(message)), message["id"], context.fence)
"""
FLAT_SPEC = """\
retries: {attempts: 1}
message:
  encoding: fields
  max_size: 1Ki
  schema: {type: object, required: [id], properties: {id: {type: string}, pages: {type: integer}}}
"""
FLAT_HOSTILE: dict[str, tuple[list[bytes], str]] = {
    "too large": ([b"id", b"a", b"more", b"x" * 1024], "too-large"),
    "a name that is no text": ([b"id", b"a", b"\xff", b"1"], "not-utf-8"),
    "a value that is no text": ([b"id", b"a", b"more", SECRET.encode() + b"\xff"], "not-utf-8"),
    "no number": ([b"id", b"a", b"pages", SECRET.encode()], "schema"),
    "a missing field": ([b"pages", b"1"], "schema"),
}


def test_unreadable_messages_with_fields_as_body_are_kept_unchanged(make_trial: Callable[..., Trial]) -> None:
    """With `encoding: fields`, each value has its own field."""
    with make_trial(handlers=FLAT, spec=FLAT_SPEC) as trial:
        worker = trial.worker()
        add(trial, [b"id", b"good", b"pages", b"3", b"unknown", b"travels along"])
        ids = {add(trial, fields): name for name, (fields, _) in FLAT_HOSTILE.items()}
        trial.until_drained()
        dead_letters = {}
        for _, fields in entries(trial, DEAD):
            added = dict(zip(fields[::2], fields[1::2], strict=True))
            dead_letters[ids[added[b"penstock-dead-id"].decode()]] = (fields, added)
        assert set(dead_letters) == set(FLAT_HOSTILE)
        for name, (sent, reason) in FLAT_HOSTILE.items():
            fields, added = dead_letters[name]
            assert fields[: len(sent)] == sent
            assert added[b"penstock-dead-error"].startswith(reason.encode()), (name, added[b"penstock-dead-error"])
        assert [(line.what, line.message) for line in read(trial.ledger)] == [("id,pages,unknown", "good")]
        assert SECRET not in worker.log()
        assert worker.end() == 0
