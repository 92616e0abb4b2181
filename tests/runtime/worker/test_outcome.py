"""An outcome is the same value whether its handler ran in this process or in a child."""

from __future__ import annotations

import pytest

from penstock.handling.failures import Failure
from penstock.isolation.runs import Crashed
from penstock.worker.delivery import Result
from penstock.worker.outcome import (
    DONE,
    Done,
    Failed,
    NotStarted,
    Outcome,
    Stopped,
    Unreadable,
    decode,
    encode,
)

FROM_CHILD: list[Outcome] = [
    DONE,
    Done(Result('{"é":1}'.encode(), 3_600_000)),
    Failed(Failure(("a.B", "builtins.Exception"), 503, "text", 40, final=True, at="team.py:3")),
    Unreadable("schema", "`pet` is missing"),
    Stopped(),
    NotStarted("its `lifespan` failed to start: OSError"),
]


@pytest.mark.parametrize("outcome", FROM_CHILD, ids=repr)
def test_an_outcome_survives_the_way_from_a_child(outcome: Outcome) -> None:
    """Its result, its failure and its reason are complete."""
    assert decode(encode(outcome)) == outcome


def test_a_finished_message_without_a_result_is_the_shared_value() -> None:
    """Nearly all messages end like this, so no object is created for them."""
    assert decode(encode(Done())) is DONE


def test_a_crash_cannot_be_sent() -> None:
    """A crashed child sends nothing; its worker makes the outcome."""
    with pytest.raises(TypeError, match="a crashed child sends no outcome"):
        encode(Crashed(-9, "it was killed by SIGKILL"))


@pytest.mark.parametrize("text", [b"[]", b'{"done": 1}', b'{"unreadable": ["schema"]}'])
def test_an_unknown_outcome_is_refused(text: bytes) -> None:
    """The error becomes a failed attempt."""
    with pytest.raises(ValueError, match="not an outcome of an attempt"):
        decode(text)
