"""What a send leaves in the stream, and what it tells."""

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


def test_a_message_stands_in_the_stream_as_the_spec_says(target: Target) -> None:
    """The body in its field, an id that is a ULID of now, the version; and nothing else."""
    sent = send(target, {"job": "a", "n": 1})
    (entry,) = entries(target)
    assert entry.id == sent.entry
    assert entry.fields == {"data": '{"job":"a","n":1}', "penstock-id": sent.id, "penstock-version": "1"}
    assert is_ulid(sent.id)
    assert abs(time_of(sent.id) - entry.ms) < 60_000
    assert sent.due is None


@pytest.mark.parametrize("body", [{"job": "a", "n": 7}, Job(job="a"), Plain("a"), b'{"job":"a","n":7}'])
def test_a_body_may_be_a_dict_a_model_a_dataclass_or_json(target: Target, body: object) -> None:
    """All of them are the same message."""
    send(target, body)
    (entry,) = entries(target)
    assert entry.fields["data"] == '{"job":"a","n":7}'


def test_json_by_the_caller_travels_byte_for_byte(target: Target) -> None:
    """What was checked is what is sent, blanks and all."""
    raw = b'{ "job" : "\xc3\xa9" , "n" : 1 }'
    send(target, raw)
    assert entries(target)[0].fields["data"] == raw.decode()


@pytest.mark.parametrize("body", [{"job": "a", "n": 7}, Plain("a"), b'{"n": 7, "job": "a"}'])
def test_a_body_of_entry_fields(target: Target, body: object) -> None:
    """With `encoding: fields` each field of the body is one of the entry."""
    sent = send(target, body, pipeline(message={"encoding": "fields"}))
    (entry,) = entries(target)
    assert entry.fields == {"job": "a", "n": "7", "penstock-id": sent.id, "penstock-version": "1"}


def test_a_missing_correlation_is_made(target: Target) -> None:
    """Where the spec says so, as a ULID; the sender is told."""
    spec = pipeline(message={"correlate": "job", "make_correlation": True})
    sent = send(target, {"n": 1}, spec)
    assert sent.correlation is not None
    assert is_ulid(sent.correlation)
    assert json.loads(entries(target)[0].fields["data"]) == {"n": 1, "job": sent.correlation}


@pytest.mark.parametrize("body", [{"job": "mine"}, b'{"job": "mine"}'])
def test_a_correlation_that_is_there_stays(target: Target, body: object) -> None:
    """Whatever the spec would make."""
    spec = pipeline(message={"correlate": "job", "make_correlation": True})
    assert send(target, body, spec).correlation == "mine"


@pytest.mark.parametrize("body", [{"n": 1}, b'{"n": 1}'])
def test_a_correlation_can_be_handed_over(target: Target, body: object) -> None:
    """It becomes the field, also where the spec would make none."""
    sent = send(target, body, pipeline(message={"correlate": "job"}), correlation="request-9")
    assert sent.correlation == "request-9"
    assert json.loads(entries(target)[0].fields["data"]) == {"n": 1, "job": "request-9"}


def test_the_bodies_that_were_handed_over_stay_as_they_were(target: Target) -> None:
    """A correlation goes into the message, not into the caller's dict."""
    body = {"n": 1}
    send(target, body, pipeline(message={"correlate": "job", "make_correlation": True}))
    assert body == {"n": 1}


def test_one_producer_serves_many_tasks(target: Target) -> None:
    """Each gets its own answer, and every message is there once."""

    async def scenario() -> None:
        async with producer(target, pipeline()) as one:
            sent = await asyncio.gather(*(one.send(body) for body in jobs(500)))
        said = {entry.id: json.loads(entry.fields["data"]) for entry in entries(target)}
        assert [said[told.entry] for told in sent if isinstance(told, Sent) and told.entry] == jobs(500)
        assert len(said) == 500

    run_async(scenario())


def test_the_first_message_makes_the_stream_and_no_group(target: Target) -> None:
    """A producer may come before any worker, whose group begins at 0 all the same."""
    send(target, {"job": "a"})
    assert target.ask("XINFO", "GROUPS", STREAM) == []


def test_a_result_is_found_by_what_a_send_told(target: Target) -> None:
    """A handler's result, as JSON has it; None while there is none, and for a message without one."""

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


def test_a_server_that_forgot_the_script_is_told_again(target: Target) -> None:
    """SCRIPT FLUSH costs nothing but a moment."""

    async def scenario() -> None:
        async with producer(target, pipeline()) as one:
            await one.send({"job": "a"})
            for server in target.masters():
                server.ask("SCRIPT", "FLUSH")
            await one.send({"job": "b"})
        assert number(target, "XLEN", STREAM) == 2

    run_async(scenario())
