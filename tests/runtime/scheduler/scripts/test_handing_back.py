"""complete and release: only who took a run hands it back, once, however often it is said."""

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
    """A job that runs."""
    moves.register("job", priority=700)
    (one,) = moves.take("pod~1")
    return one


@steps
def test_it_waits_again(moves: Moves, taken: AcquiredJob, step: Step) -> None:
    """With the score that follows from when it is due, and in no other set."""
    assert step(moves, taken) is JobAnswer.DONE
    left = moves.left()
    assert (left.waiting, left.working, left.owners) == ({"job": taken.due + 0.299}, {}, {})


def test_a_run_tells_its_story(moves: Moves, taken: AcquiredJob) -> None:
    """And one that was not run leaves the story that was there."""
    moves.complete(taken, due=taken.due, story='{"n":1}')
    (again,) = moves.take("pod~1")
    moves.release(again)
    assert moves.left().stories == {"job": {"n": 1}}


@steps
def test_another_run_is_not_touched(moves: Moves, taken: AcquiredJob, step: Step) -> None:
    """S3: after a take-over the first owner changes nothing, however often it tries."""
    taken = moves.overrun(taken, 1)
    moves.lose("pod~1")
    moves.clean()
    (theirs,) = moves.take("pod~2")
    before = moves.left()
    assert [step(moves, taken), step(moves, taken)] == [JobAnswer.ANOTHERS] * 2
    assert moves.left() == before
    assert step(moves, theirs) is JobAnswer.DONE


@steps
def test_what_somebody_handed_back_is_not_handed_back_again(moves: Moves, taken: AcquiredJob, step: Step) -> None:
    """Its time in the waiting set stays."""
    taken = moves.overrun(taken, 1)
    moves.lose("pod~1")
    moves.clean()
    moves.set_due("job", taken.due + 3600)
    before = moves.left()
    assert step(moves, taken) is JobAnswer.NOT_HELD
    assert moves.left() == before


def test_a_repeat_is_told_as_done(moves: Moves, taken: AcquiredJob) -> None:
    """No answer came the first time; the second changes nothing."""
    assert moves.complete(taken, due=taken.due + 60, story='{"fence":1}') == [JobAnswer.DONE]
    before = moves.left()
    assert moves.complete(taken, due=taken.due + 90, story='{"fence":1}') == [JobAnswer.DONE]
    assert moves.left() == before


@steps
def test_what_is_known_no_more_goes_nowhere(moves: Moves, taken: AcquiredJob, step: Step) -> None:
    """It was unregistered while it ran."""
    moves.unregister("job")
    assert step(moves, taken) is JobAnswer.UNKNOWN
    assert moves.left().places("job") == []
    assert moves.left().stories == {}


@steps
def test_what_was_paused_while_it_ran_stays_paused(moves: Moves, taken: AcquiredJob, step: Step) -> None:
    """With the time at which it would be due."""
    assert moves.ask_for("pause", "job") == [JobAnswer.ANOTHERS]
    assert step(moves, taken) is JobAnswer.DONE
    assert moves.left().places("job") == ["paused"]
    assert moves.left().paused["job"] == taken.due + 0.299


def test_each_of_a_batch_for_itself(moves: Moves) -> None:
    """Ours, another's, gone: what one is does not touch the others."""
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
def test_an_error_half_way_loses_nothing(moves: Moves, taken: AcquiredJob, step: Step) -> None:
    """S4: where a set is not what it should be the job stays in the working set; healed, it goes on."""
    moves.ask("DEL", KEYS.waiting)
    moves.ask("SET", KEYS.waiting, "not a set")
    with pytest.raises(Refused):
        step(moves, taken)
    assert moves.ask("ZSCORE", KEYS.working, "job") is not None
    moves.ask("DEL", KEYS.waiting)
    assert step(moves, taken) is JobAnswer.DONE
    assert moves.left().places("job") == ["waiting"]
