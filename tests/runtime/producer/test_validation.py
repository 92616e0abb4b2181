"""The producer refuses invalid messages before it calls Redis; these tests run without a Redis."""

import math
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from event_loop import run_async
from sending import DEDUP, pipeline

from penstock.embedded import LOOPBACK, free_port
from penstock.producer import NotAsDescribed, Producer, RedisAbsent, TooLarge
from penstock.wire.credentials import Credentials
from penstock_spec.findings import CannotGoOn
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.platform import Redis

NO_REDIS = Redis(addresses=[f"{LOOPBACK}:{free_port()}"])
SECRET = "4111-1111"  # noqa: S105 - errors must not quote it


def send(body: object, spec: Pipeline, correlation: str | None = None) -> str:
    """Send the body; return the error as text."""

    async def scenario() -> str:
        async with Producer(spec, NO_REDIS, credentials=Credentials()) as producer:
            with pytest.raises((TooLarge, NotAsDescribed)) as wrong:
                await producer.send(body, correlation=correlation)
        return f"{type(wrong.value).__name__}: {wrong.value}"

    return run_async(scenario())


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"job": 5}, "NotAsDescribed: at `job`: expected string"),
        ({"n": 5}, "NotAsDescribed: `job` is missing"),
        ({"job": "a", "n": math.nan}, "NotAsDescribed: the body contains a number that JSON does not have"),
        ({"job": "a", "n": -math.inf}, "NotAsDescribed: the body contains a number that JSON does not have"),
        ({"job": "a\ud800"}, "NotAsDescribed: the body contains a lone surrogate, which is not a character"),
        ({"job": "a" * 1015}, "TooLarge: the body has 1025 bytes, more than `message.max_size` (1Ki)"),
        (b'{"job": "' + b"a" * 1100 + b'"}', "TooLarge: the body has 1111 bytes, more than `message.max_size` (1Ki)"),
        (b'{"job": NaN}', "NotAsDescribed: the body is not valid JSON (expected value, line 1 column 9)"),
        (b'{"job": "\xff"}', "NotAsDescribed: byte 10 of the body is not UTF-8"),
        (b"", "NotAsDescribed: the body is empty"),
        (b"[1]", "NotAsDescribed: the body is a list, not an object"),
        (None, "NotAsDescribed: a `NoneType` is not an object"),
        (["a"], "NotAsDescribed: a `list` is not an object"),
        ({"job": {1, 2}}, "NotAsDescribed: a `set` is not a JSON type"),
    ],
)
def test_the_error_names_field_and_expectation(body: object, expected: str) -> None:
    """It is raised before the producer tries to reach Redis."""
    message = {"max_size": "1Ki"}
    error = send(body, pipeline(message=message))
    assert error.startswith(expected), error


def test_a_body_of_exactly_the_maximum_is_valid() -> None:
    """It gets as far as Redis, which is absent here."""
    spec = pipeline(message={"max_size": "1Ki"}, send={"attempts": 1})
    body = {"job": "a" * (1024 - len('{"job":""}'))}

    async def scenario() -> None:
        async with Producer(spec, NO_REDIS, credentials=Credentials()) as producer:
            with pytest.raises(RedisAbsent):
                await producer.send(body)

    run_async(scenario())


@pytest.mark.parametrize(
    "body",
    [
        {"job": 4, "card": SECRET},
        {"job": "a", "n": SECRET},
        {"job": "a", SECRET: math.nan},
        {"n": SECRET, "job": "a" * 2000},
        f'{{"job": "{SECRET}"'.encode(),
        f'{{"job": "a", "n": "{SECRET}"}}'.encode(),
        {"card": SECRET},
    ],
)
def test_errors_never_quote_the_body(body: object) -> None:
    """A body may hold secrets, and errors are logged."""
    assert SECRET not in send(body, pipeline(message={"max_size": "1Ki"}))


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"job": "a"}, "`n` is missing, and `message.dedup.by` needs it"),
        ({"job": "a", "n": None}, "`n` is missing, and `message.dedup.by` needs it"),
        ({"job": "a", "n": [SECRET]}, "at `n`: expected a text or a whole number, because it is `message.dedup.by`"),
        ({"job": "a", "n": True}, "at `n`: expected a text or a whole number, because it is `message.dedup.by`"),
        ({"job": "a", "n": 1.5}, "at `n`: expected a text or a whole number, because it is `message.dedup.by`"),
        ({"job": "a", "n": ""}, "the deduplication key is empty"),
    ],
)
def test_a_body_without_a_deduplication_key_is_not_sent(body: object, expected: str) -> None:
    """It could be sent twice, or suppress other messages."""
    schema = {"type": "object", "required": ["job"]}
    error = send(body, pipeline(message={"schema": schema, "dedup": {"by": "n", "window": "1h"}}))
    assert error == f"NotAsDescribed: {expected}"


def test_conflicting_correlations_are_refused() -> None:
    """The correlation in the body and the argument must be equal."""
    error = send({"job": "a"}, pipeline(message={"correlate": "job"}), correlation="b")
    assert error == "NotAsDescribed: at `job`: the body has another correlation than `correlation`"


def test_too_many_fields_are_refused() -> None:
    """Lua scripts pass on all fields of an entry in one call, which has a limit."""
    schema = {"type": "object"}
    error = send({f"f{n}": "" for n in range(991)}, pipeline(message={"encoding": "fields", "schema": schema}))
    assert error == "TooLarge: the body has 991 fields, but an entry can have 990; send it as JSON"


@pytest.mark.parametrize(
    "given",
    [
        {"delay": -1},
        {"delay": "11y"},
        {"delay": "4000d"},
        {"delay": math.inf},
        {"delay": math.nan},
        {"delay": timedelta(seconds=-1)},
        {"at": datetime(2030, 1, 1)},  # noqa: DTZ001 - it must be refused
        {"delay": 1, "at": datetime(2030, 1, 1, tzinfo=UTC)},
        {"timeout": "soon"},
        {"key": "mine"},
        {"correlation": "mine"},
    ],
)
def test_invalid_arguments_raise_a_value_error(given: Mapping[str, Any]) -> None:
    """A wrong call is no outcome of a message."""

    async def scenario() -> None:
        async with Producer(pipeline(), NO_REDIS, credentials=Credentials()) as producer:
            with pytest.raises(ValueError):  # noqa: PT011 - the messages differ
                await producer.send({"job": "a"}, **given)

    run_async(scenario())


@pytest.mark.parametrize(
    ("backlog", "retention", "message"),
    [
        ({"when_full": "drop-oldest"}, "until-done", "would drop unread messages"),
        ({"when_full": "drop-oldest", "lossy": True}, {"length": 100}, "keeps history"),
    ],
)
def test_a_producer_refuses_a_spec_that_loses_messages(
    backlog: Mapping[str, Any], retention: object, message: str
) -> None:
    """The linter refuses it too, but not every sender runs it."""
    with pytest.raises(CannotGoOn, match=message):
        Producer(pipeline(backlog=backlog, keep=retention), NO_REDIS, credentials=Credentials())


def test_a_generated_correlation_can_be_the_deduplication_key() -> None:
    """The correlation is generated before the key is read."""
    spec = pipeline(message={"correlate": "job", "make_correlation": True, "dedup": DEDUP}, send={"attempts": 1})

    async def scenario() -> None:
        async with Producer(spec, NO_REDIS, credentials=Credentials()) as producer:
            with pytest.raises(RedisAbsent):
                await producer.send({"n": 1})

    run_async(scenario())


def test_an_unresolved_spec_needs_a_redis() -> None:
    """Only a resolved spec contains the address of Redis."""
    with pytest.raises(CannotGoOn, match="has no Redis"):
        Producer(pipeline())
