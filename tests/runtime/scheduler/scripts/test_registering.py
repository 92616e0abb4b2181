"""register and unregister: a registered job is in one of the sets, and registering it again changes nothing."""

from job_steps import KEYS, Moves

from penstock.scheduler.job_steps import JobAnswer


def test_a_new_job_waits(moves: Moves) -> None:
    """Due when its pod says, with its priority."""
    now = moves.second()
    assert moves.register("a", "b", due=now + 7, priority=900) == 2
    assert moves.left().waiting == {"a": now + 7.099, "b": now + 7.099}


def test_a_waiting_job_keeps_its_due_time(moves: Moves) -> None:
    """However often it is registered; a new priority applies at once."""
    now = moves.second()
    moves.register("job", due=now + 7)
    assert moves.register("job", due=now + 500) == 0
    assert moves.left().waiting == {"job": now + 7.499}
    moves.register("job", due=now + 500, priority=999)
    assert moves.left().waiting == {"job": now + 7.0}


def test_a_shorter_interval_applies_at_once(moves: Moves) -> None:
    """A job whose schedule changed is due no later than the new schedule says, and no earlier than before."""
    now = moves.second()
    moves.register("daily", due=now + 86_400, schedule="24h")
    moves.register("daily", due=now, latest=now + 30, schedule="30s")
    assert moves.left().waiting == {"daily": now + 30.499}
    moves.register("daily", due=now, latest=now + 86_400, schedule="24h")
    assert moves.left().waiting == {"daily": now + 30.499}


def test_running_and_paused_jobs_are_left_alone(moves: Moves) -> None:
    """They are in one set and in no other."""
    moves.register("runs", "stops")
    moves.ask_for("pause", "stops")
    moves.take("pod~1")
    assert moves.register("runs", "stops") == 0
    assert moves.left().places("runs") == ["working"]
    assert moves.left().places("stops") == ["paused"]


def test_registering_restores_what_redis_lost(moves: Moves) -> None:
    """At the next refresh."""
    moves.register("job")
    moves.ask("DEL", KEYS.waiting)
    assert moves.register("job") == 1
    assert moves.left().places("job") == ["waiting"]


def test_an_unregistered_job_stops_waiting(moves: Moves) -> None:
    """Its record is removed; a second call finds nothing."""
    moves.register("job", "other")
    (job,) = moves.take("pod~1", 1)
    moves.complete(job, due=job.due)
    assert (moves.unregister("job"), moves.unregister("job")) == (1, 0)
    left = moves.left()
    assert (left.jobs, left.stories, set(left.waiting)) == ({"other"}, {}, {"other"})


def test_unregistering_spares_jobs_that_others_registered_since(moves: Moves) -> None:
    """What another pod has registered since then stays."""
    moves.register("job")
    now = moves.second()
    assert moves.unregister("job", unseen_since=now - 60) == 0
    assert moves.unregister("job", unseen_since=now + 60) == 1


def test_a_paused_job_is_still_paused_when_registered_again(moves: Moves) -> None:
    """Its pods were away, or its shard moved: nobody has resumed it."""
    moves.register("job")
    moves.ask_for("pause", "job")
    moves.unregister("job")
    moves.register("job")
    assert moves.left().places("job") == ["paused"]
    assert moves.ask_for("resume", "job") == [JobAnswer.DONE]
    assert moves.left().places("job") == ["waiting"]
