"""Redis is unreachable, hangs, loses its data, and returns."""

from collections.abc import Callable
from functools import partial

from http_probes import numbers, page, until_counted
from pipelines import Process
from scheduler_processes import Schedule, overlaps
from servers import Server, wait_for

from penstock.observe.events import Activity, Event

HANDLERS = """\
import asyncio, pathlib
import ledger

async def handle(job, context):
    ledger.note("start", job.name, context.fence)
    try:
        while job.name == "held" and not pathlib.Path("released").exists():
            await asyncio.sleep(0.02)
    finally:
        ledger.note("end", job.name, context.fence)
"""
HEALTH = "/internal/health/redis"
JOBS = [f"job-{number}" for number in range(8)]
SPEC = "\n".join(
    [
        f"jobs: [{{name: held, every: 1h, timeout: 20m}}, {', '.join(f'{{name: {job}}}' for job in JOBS)}]",
        "each: {every: 1s, timeout: 20s}",
        "breakers: {cooldown: 10m, half_open: 1s}",
        "refresh: {every: 2s}",
        "cleanup: {orphans: {every: 1s, leadership: 2s}}",
    ]
)


def ready(pod: Process, status: int) -> bool:
    return page(pod, "/readyz")[0] == status


def tripped(pod: Process) -> bool:
    return numbers(pod).of("scheduler_breaker_trips", breaker="acquisition") >= 1


def wait_for_new_runs(repo: Schedule, jobs: list[str]) -> None:
    """Wait until each job has run twice more."""
    since = {job: len(lines) for job, lines in repo.lines("end").items()}
    wait_for(
        lambda: all(len(repo.lines("end").get(job, [])) > since.get(job, 0) + 1 for job in jobs),
        "each job has run twice more",
        60,
    )


def test_an_outage_of_redis_loses_and_repeats_no_run(own_server: Callable[..., Schedule], server: Server) -> None:
    """Runs that end during the outage are handed back afterwards."""
    with own_server(handlers=HANDLERS, spec=SPEC) as repo:
        pods = [repo.pod(), repo.pod()]
        for pod in pods:
            pod.until(Event.CONSUMER_JOINED)
        wait_for(lambda: "held" in repo.lines(), "`held` runs")
        server.kill()
        (repo.folder / "released").touch()
        repo.until_ran("held")
        for pod in pods:
            wait_for(partial(ready, pod, 503), "`/readyz` fails")
            assert page(pod, "/livez")[0] == 200
            assert page(pod, HEALTH)[0] == 503
        for pod in pods:
            wait_for(partial(tripped, pod), "the acquisition breaker is open")
            until_counted(pod, "scheduler_watchdog", 1, signal="redis_stall")
            assert numbers(pod).of("scheduler_degraded") == 1

        server.start()
        wait_for_new_runs(repo, JOBS)
        for pod in pods:
            wait_for(partial(ready, pod, 200), "`/readyz` succeeds again")
            until_counted(pod, "scheduler_breaker_state", 0)
            until_counted(pod, "scheduler_degraded", 0)
            assert pod.events(Event.REDIS_REACHABLE)
            assert (page(pod, HEALTH)[0], '"waiting_set":true' in page(pod, HEALTH)[1].replace(" ", "")) == (200, True)
        wait_for(lambda: repo.places("held") == ["waiting"], "`held` is handed back")
        assert len(repo.lines()["held"]) == 1, "`held` ran once"
        for pod in pods:
            assert pod.end() == 0
        assert overlaps(repo.lines(), repo.lines("end"), {}) == []
        repo.assert_each_in_one_set([*JOBS, "held"])


def test_a_hanging_redis_is_noticed_and_survived(own_server: Callable[..., Schedule], server: Server) -> None:
    """It accepts connections and never answers; the pod notices, however long a call waits, and recovers."""
    with own_server(spec=SPEC.replace("{name: held, every: 1h, timeout: 20m}, ", "")) as repo:
        pod = repo.pod()
        wait_for_new_runs(repo, JOBS)
        server.pause()
        until_counted(pod, "scheduler_watchdog", 1, signal="redis_stall")
        assert numbers(pod).of("scheduler_degraded") == 1
        wait_for(lambda: numbers(pod).of("scheduler_breaker_trips") >= 1, "a breaker is open", 60)
        server.resume()
        wait_for_new_runs(repo, JOBS)
        until_counted(pod, "scheduler_degraded", 0)
        assert pod.end() == 0
        repo.assert_each_in_one_set(JOBS)


def test_jobs_are_registered_again_after_redis_loses_all_data(
    own_server: Callable[..., Schedule], server: Server
) -> None:
    """By the next refresh; pods register new consumers."""
    with own_server(spec=SPEC.replace("{name: held, every: 1h, timeout: 20m}, ", "")) as repo:
        pod = repo.pod()
        wait_for_new_runs(repo, JOBS)
        server.flush()
        wait_for_new_runs(repo, JOBS)
        assert len(pod.events(Event.CONSUMER_JOINED)) == 2
        assert pod.end() == 0
        repo.assert_each_in_one_set(JOBS)


def test_a_pod_waits_for_redis_to_start(own_server: Callable[..., Schedule], server: Server) -> None:
    """It logs the outage, retries, and is not ready until Redis answers."""
    server.kill()
    with own_server(spec=SPEC.replace("{name: held, every: 1h, timeout: 20m}, ", "")) as repo:
        pod = repo.pod()
        pod.until(Event.REDIS_UNREACHABLE)
        assert page(pod, "/readyz")[0] == 503
        server.start()
        wait_for_new_runs(repo, JOBS)
        assert page(pod, "/readyz")[0] == 200
        activities = [line["activity"] for line in pod.events(Event.REDIS_UNREACHABLE)]
        assert activities.count(Activity.RENEWING) == 1
        assert pod.end() == 0
