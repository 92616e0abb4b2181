"""clean and lease: jobs of lost pods are due again, jobs of live ones are left alone."""

from job_steps import KEYS, Moves

from penstock.scheduler.job_steps import JobAnswer
from penstock.scheduler.run_record import RunRecord


def test_jobs_of_a_lost_pod_are_due_again_as_they_were(moves: Moves) -> None:
    """After their deadlines; at the second at which they were due, so that they go first; and only once."""
    moves.register("job", "other", due=moves.second() - 100)
    job, other = moves.take("pod~1")
    moves.lose("pod~1")
    assert moves.clean().returned == 0
    assert moves.left().places("job") == moves.left().places("other") == ["working"]
    for one in (job, other):
        moves.overrun(one, 1)
    assert (moves.clean().returned, moves.clean().returned) == (2, 0)
    left = moves.left()
    assert (left.waiting, left.working, left.owners) == ({"job": job.due + 0.499, "other": other.due + 0.499}, {}, {})


def test_the_record_of_a_lost_run_says_that_it_had_begun(moves: Moves) -> None:
    """For which second, with the failures before it; lost twice, it is still the same run."""
    before = RunRecord(7, 1.0, 2.0, "failed", "server", 3, 9, 4, "pod~2")
    moves.register("new", "failed", due=moves.second() - 100)
    failed, new = moves.take("pod~2")
    moves.complete(failed, due=failed.due, story=before.write())
    moves.release(new)
    for _ in range(2):
        for one in moves.take("pod~1"):
            moves.overrun(one, 1)
        moves.lose("pod~1")
        assert moves.clean().returned == 2
        moves.begin("pod~1")
    failed, new = moves.take("pod~1")
    assert new.story is not None
    assert failed.story is not None
    assert (new.begun, new.story.outcome, new.story.due, new.story.streak) == (True, "lost", new.due, 0)
    assert (failed.begun, failed.story.due, failed.story.streak, failed.story.class_) == (True, 7, 3, "server")
    assert new.story.consumer == "pod~1"
    assert new.story.ended >= new.story.acquired > 1_700_000_000


def test_jobs_of_a_live_pod_are_left_alone(moves: Moves) -> None:
    """S2: before the deadline, and after it until the threshold."""
    moves.register("job")
    (job,) = moves.take("pod~1")
    for seconds in (0, 30):
        job = moves.overrun(job, seconds)
        assert moves.clean(threshold=60_000).returned == 0
    job = moves.overrun(job, 61)
    assert moves.clean(threshold=60_000).returned == 1
    assert moves.complete(job, due=1) == [JobAnswer.NOT_HELD]


def test_an_expired_lease_can_be_renewed_until_it_is_judged(moves: Moves) -> None:
    """Redis was away and nobody could renew: the jobs are still held. Once judged, they are not."""
    moves.register("job")
    moves.take("pod~1")
    moves.lose("pod~1")
    assert moves.clean(judges=False).returned == 0
    assert moves.renew("pod~1")
    assert moves.clean().returned == 0
    moves.lose("pod~1")
    assert moves.clean().consumers == 1
    assert not moves.renew("pod~1")
    assert moves.renew("pod~2")


def test_jobs_of_a_deregistered_pod_are_due_again(moves: Moves) -> None:
    """Those that it could not hand back, after their deadlines: it is in no set of pods."""
    moves.register("job")
    (job,) = moves.take("pod~1")
    moves.end("pod~1")
    assert moves.clean(judges=False).returned == 0
    moves.overrun(job, 1)
    assert moves.clean(judges=False).returned == 1


def test_a_cleanup_may_be_limited_to_shards(moves: Moves) -> None:
    """Where all pods clean up, each its own shards."""
    moves.register("of-0", shard=0)
    moves.register("of-1", shard=1)
    for job in moves.take("pod~1"):
        moves.overrun(job, 1)
    moves.lose("pod~1")
    moves.clean(shards=",1,")
    assert moves.left().places("of-0") == ["working"]
    assert moves.left().places("of-1") == ["waiting"]


def test_entries_that_cannot_be_jobs_are_removed(moves: Moves) -> None:
    """Unregistered names, and names of digits alone, which may also be kept."""
    now = moves.second()
    moves.register("job", "123", due=now + 60)
    moves.set_due("stranger", now)
    kept = moves.clean("waiting", removes_numeric=False)
    assert (kept.unknown, kept.numeric) == (1, 0)
    assert (moves.clean("waiting").numeric, moves.clean("waiting").numeric) == (1, 0)
    assert set(moves.left().waiting) == moves.left().jobs == {"job"}


def test_unregistered_entries_in_the_working_set_are_removed_after_their_deadlines(moves: Moves) -> None:
    """Before, a pod may hold them."""
    now = moves.second()
    moves.ask("ZADD", KEYS.working, now + 60, "fresh", now - 1, "old", now - 1, "77")
    cleaned = moves.clean()
    assert (cleaned.unknown, cleaned.numeric) == (1, 1)
    assert set(moves.left().working) == {"fresh"}


def test_a_paused_orphan_stays_paused(moves: Moves) -> None:
    """It was paused during the run, and its pod was lost."""
    moves.register("job")
    (job,) = moves.take("pod~1")
    moves.ask_for("pause", "job")
    moves.overrun(job, 1)
    moves.lose("pod~1")
    moves.clean()
    assert moves.left().places("job") == ["paused"]


def test_a_set_is_cleaned_page_by_page(moves: Moves) -> None:
    """Entries that are removed from a page make the next page skip none."""
    moves.register(*(f"job-{n:03}" for n in range(600, 1000)))
    for job in moves.take("pod~1"):
        moves.overrun(job, 1)
    moves.register(*(f"job-{n:03}" for n in range(600)))
    moves.take("pod~2")
    moves.take("pod~2")
    moves.lose("pod~1")
    further, returned = 0, 0
    while further >= 0:
        page = moves.wait(
            moves.steps.clean("working", further, threshold=600_000, judges=True, shards="*", removes_numeric=True)
        )
        further, returned = page.further, returned + page.returned
    assert returned == 400
    assert set(moves.left().owners.values()) == {"pod~2"}
