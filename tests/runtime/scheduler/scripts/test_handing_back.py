"""complete and release: only the run that holds a job hands it back, once, however often it is called."""

from collections.abc import Callable

import pytest
from job_steps import KEYS, Moves

from penstock.scheduler.job_steps import AcquiredJob, JobAnswer
from penstock.wire.errors import Refused

Step = Callable[[Moves, AcquiredJob], JobAnswer]


def complete(moves: Moves, one: AcquiredJob) -> JobAnswer:
    return moves.complete(one, due=one.due)[0]


def release(moves: Moves, one: AcquiredJob) -> JobAnswer:
    return moves.release(one)[0]


steps = pytest.mark.parametrize("step", [complete, release])


@pytest.fixture
def taken(moves: Moves) -> AcquiredJob:
    """A running job."""
    moves.register("job", priority=700)
    (one,) = moves.take("pod~1")
    return one


@steps
def test_a_handed_back_job_waits(moves: Moves, taken: AcquiredJob, step: Step) -> None:
    """With the score of its due time, and in no other set."""
    assert step(moves, taken) is JobAnswer.DONE
    left = moves.left()
    assert (left.waiting, left.working, left.owners) == ({"job": taken.due + 0.299}, {}, {})


def test_complete_writes_the_record(moves: Moves, taken: AcquiredJob) -> None:
    """A release leaves the old record."""
    moves.complete(taken, due=taken.due, story='{"n":1}')
    (again,) = moves.take("pod~1")
    moves.release(again)
    assert moves.left().stories == {"job": {"n": 1}}


@steps
def test_another_run_is_left_alone(moves: Moves, taken: AcquiredJob, step: Step) -> None:
    """S3: after a take-over the first holder changes nothing, however often it tries."""
    taken = moves.overrun(taken, 1)
    moves.lose("pod~1")
    moves.clean()
    (theirs,) = moves.take("pod~2")
    before = moves.left()
    assert [step(moves, taken), step(moves, taken)] == [JobAnswer.ANOTHERS] * 2
    assert moves.left() == before
    assert step(moves, theirs) is JobAnswer.DONE


@steps
def test_a_job_is_handed_back_once(moves: Moves, taken: AcquiredJob, step: Step) -> None:
    """Its due time stays."""
    taken = moves.overrun(taken, 1)
    moves.lose("pod~1")
    moves.clean()
    moves.set_due("job", taken.due + 3600)
    before = moves.left()
    assert step(moves, taken) is JobAnswer.NOT_HELD
    assert moves.left() == before


def test_a_repeated_complete_is_answered_as_done(moves: Moves, taken: AcquiredJob) -> None:
    """The first call was not answered; the second changes nothing."""
    assert moves.complete(taken, due=taken.due + 60, story='{"fence":1}') == [JobAnswer.DONE]
    before = moves.left()
    assert moves.complete(taken, due=taken.due + 90, story='{"fence":1}') == [JobAnswer.DONE]
    assert moves.left() == before


@steps
def test_an_unregistered_job_goes_to_no_set(moves: Moves, taken: AcquiredJob, step: Step) -> None:
    """It was unregistered during the run."""
    moves.unregister("job")
    assert step(moves, taken) is JobAnswer.UNKNOWN
    assert moves.left().places("job") == []
    assert moves.left().stories == {}


@steps
def test_a_job_paused_during_its_run_stays_paused(moves: Moves, taken: AcquiredJob, step: Step) -> None:
    """With the time at which it would be due."""
    assert moves.ask_for("pause", "job") == [JobAnswer.ANOTHERS]
    assert step(moves, taken) is JobAnswer.DONE
    assert moves.left().places("job") == ["paused"]
    assert moves.left().paused["job"] == taken.due + 0.299


def test_the_jobs_of_a_batch_are_independent(moves: Moves) -> None:
    """Held, held by another run, gone: none affects the others."""
    moves.register("gone", "ours", "theirs")
    gone, ours, theirs = moves.take("pod~1")
    moves.unregister("gone")
    moves.release(theirs)
    moves.take("pod~2")
    assert moves.complete(gone, ours, theirs, due=ours.due + 60) == [
        JobAnswer.UNKNOWN,
        JobAnswer.DONE,
        JobAnswer.ANOTHERS,
    ]
    left = moves.left()
    assert (set(left.waiting), set(left.working)) == ({"ours"}, {"theirs"})


@steps
def test_an_error_half_way_loses_no_job(moves: Moves, taken: AcquiredJob, step: Step) -> None:
    """S4: if a set has the wrong type the job stays in the working set, and can be handed back once it is repaired."""
    moves.ask("DEL", KEYS.waiting)
    moves.ask("SET", KEYS.waiting, "not a set")
    with pytest.raises(Refused):
        step(moves, taken)
    assert moves.ask("ZSCORE", KEYS.working, "job") is not None
    moves.ask("DEL", KEYS.waiting)
    assert step(moves, taken) is JobAnswer.DONE
    assert moves.left().places("job") == ["waiting"]
