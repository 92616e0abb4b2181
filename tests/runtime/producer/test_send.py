"""A send writes the message as the spec describes and returns its outcome."""

import asyncio
import dataclasses
import json

import pydantic
import pytest
from event_loop import run_async
from sending import DEDUP, STREAM, entries, jobs, keys_of, number, pipeline
from targets import Target

from penstock.message.ulid import is_ulid, time_of
from penstock.producer import Duplicate, Producer, Sent
from penstock_spec.kinds.pipeline.spec import Pipeline

pytestmark = pytest.mark.wire


class Job(pydantic.BaseModel):
    job: str
    n: int = 7


@dataclasses.dataclass
class Plain:
    job: str
    n: int = 7


def producer(target: Target, spec: Pipeline) -> Producer:
    return Producer(spec, target.redis, credentials=target.credentials)


def send(target: Target, body: object, spec: Pipeline | None = None, correlation: str | None = None) -> Sent:
    async def scenario() -> Sent:
        async with producer(target, spec or pipeline()) as one:
            sent = await one.send(body, correlation=correlation)
        assert isinstance(sent, Sent)
        return sent

    return run_async(scenario())


def test_an_entry_holds_body_id_and_version_only(target: Target) -> None:
    """The body is in its field; the id is a ULID of the current time."""
    sent = send(target, {"job": "a", "n": 1})
    (entry,) = entries(target)
    assert entry.id == sent.entry
    assert entry.fields == {"data": '{"job":"a","n":1}', "penstock-id": sent.id, "penstock-version": "1"}
    assert is_ulid(sent.id)
    assert abs(time_of(sent.id) - entry.ms) < 60_000
    assert sent.due is None


@pytest.mark.parametrize("body", [{"job": "a", "n": 7}, Job(job="a"), Plain("a"), b'{"job":"a","n":7}'])
def test_a_body_may_be_a_dict_a_model_a_dataclass_or_json(target: Target, body: object) -> None:
    """All forms make the same message."""
    send(target, body)
    (entry,) = entries(target)
    assert entry.fields["data"] == '{"job":"a","n":7}'


def test_json_bytes_are_sent_unchanged(target: Target) -> None:
    """Whitespace is kept."""
    raw = b'{ "job" : "\xc3\xa9" , "n" : 1 }'
    send(target, raw)
    assert entries(target)[0].fields["data"] == raw.decode()


@pytest.mark.parametrize("body", [{"job": "a", "n": 7}, Plain("a"), b'{"n": 7, "job": "a"}'])
def test_fields_of_the_body_become_fields_of_the_entry(target: Target, body: object) -> None:
    """This is `encoding: fields`."""
    sent = send(target, body, pipeline(message={"encoding": "fields"}))
    (entry,) = entries(target)
    assert entry.fields == {"job": "a", "n": "7", "penstock-id": sent.id, "penstock-version": "1"}


def test_a_missing_correlation_is_generated(target: Target) -> None:
    """With `make_correlation`, it is a ULID, and the sender learns it."""
    spec = pipeline(message={"correlate": "job", "make_correlation": True})
    sent = send(target, {"n": 1}, spec)
    assert sent.correlation is not None
    assert is_ulid(sent.correlation)
    assert json.loads(entries(target)[0].fields["data"]) == {"n": 1, "job": sent.correlation}


@pytest.mark.parametrize("body", [{"job": "mine"}, b'{"job": "mine"}'])
def test_an_existing_correlation_is_kept(target: Target, body: object) -> None:
    """`make_correlation` does not replace it."""
    spec = pipeline(message={"correlate": "job", "make_correlation": True})
    assert send(target, body, spec).correlation == "mine"


@pytest.mark.parametrize("body", [{"n": 1}, b'{"n": 1}'])
def test_the_correlation_can_be_an_argument(target: Target, body: object) -> None:
    """It becomes the field of the body, even without `make_correlation`."""
    sent = send(target, body, pipeline(message={"correlate": "job"}), correlation="request-9")
    assert sent.correlation == "request-9"
    assert json.loads(entries(target)[0].fields["data"]) == {"n": 1, "job": "request-9"}


def test_a_send_does_not_change_the_body_of_the_caller(target: Target) -> None:
    """A generated correlation goes into the message only."""
    body = {"n": 1}
    send(target, body, pipeline(message={"correlate": "job", "make_correlation": True}))
    assert body == {"n": 1}


def test_one_producer_serves_many_tasks(target: Target) -> None:
    """Each task gets its own outcome, and each message is in the stream once."""

    async def scenario() -> None:
        async with producer(target, pipeline()) as one:
            sent = await asyncio.gather(*(one.send(body) for body in jobs(500)))
        bodies = {entry.id: json.loads(entry.fields["data"]) for entry in entries(target)}
        assert [bodies[outcome.entry] for outcome in sent if isinstance(outcome, Sent) and outcome.entry] == jobs(500)
        assert len(bodies) == 500

    run_async(scenario())


def test_the_first_message_creates_the_stream_and_no_group(target: Target) -> None:
    """A producer may start before any worker; the group then starts at 0."""
    send(target, {"job": "a"})
    assert target.ask("XINFO", "GROUPS", STREAM) == []


def test_the_outcome_of_a_send_finds_the_result(target: Target) -> None:
    """The result is JSON, or None while there is none; a duplicate finds the result of the first message."""

    async def scenario() -> None:
        spec = pipeline(message={"dedup": DEDUP})
        async with producer(target, spec) as one:
            sent = await one.send({"job": "a"})
            assert await one.result(sent) is None
            target.ask("SET", keys_of(spec).result + sent.id, '{"faces": [1, 2]}')
            assert await one.result(sent) == {"faces": [1, 2]}
            again = await one.send({"job": "a"})
            assert isinstance(again, Duplicate)
            assert await one.result(again) == {"faces": [1, 2]}
            assert await one.result(sent.id) == {"faces": [1, 2]}

    run_async(scenario())


def test_a_send_reloads_a_script_that_redis_lost(target: Target) -> None:
    """`SCRIPT FLUSH` delays a send, and nothing more."""

    async def scenario() -> None:
        async with producer(target, pipeline()) as one:
            await one.send({"job": "a"})
            for server in target.masters():
                server.ask("SCRIPT", "FLUSH")
            await one.send({"job": "b"})
        assert number(target, "XLEN", STREAM) == 2

    run_async(scenario())
