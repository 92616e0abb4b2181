"""The role of a janitor: maintains all pipelines of an environment."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable, Sequence

from penstock.janitor.endpoints import oldest_routes, redis_check
from penstock.janitor.janitor import Janitor
from penstock.janitor.kubernetes_pods import KubernetesPods
from penstock.janitor.links import JanitorLinks
from penstock.observe.events import Event
from penstock.observe.logs import Log
from penstock.observe.metrics import Metrics
from penstock.observe.readiness import NotReady, Readiness
from penstock.pod.role import Limits, Pod, Program, Role
from penstock.resolved import ResolvedPipeline
from penstock_spec.kinds.pipeline.metrics import process

LIVE_LIMIT = 30.0
"""Seconds without a heartbeat before `/livez` fails: nothing here computes for long."""

log = Log(logging.getLogger("penstock.janitor"))


def janitor_role(pipelines: Sequence[ResolvedPipeline], files_changed: Callable[[], bool]) -> Role:
    """The role for pipelines on one Redis. The process stops when the files of the pipelines change."""
    first = pipelines[0]

    def build(pod: Pod) -> Program:
        for pipeline in pipelines:
            metrics = Metrics.of_spec("janitor", pipeline.spec, pod.collector)
            pod.announce(metrics, pipeline.digest, process.INFO)
        credentials, readiness = pod.start.credentials, pod.readiness
        links = JanitorLinks.to(first.redis, pipelines, credentials, lambda answers: _set(readiness, answers=answers))
        janitor = Janitor(pipelines, links, pod.collector, KubernetesPods(first.around.namespace, os.environ))
        stop = asyncio.Event()

        async def run() -> int:
            await janitor.run(stop)
            return 0

        def drain() -> None:
            readiness.hold(NotReady.DRAINING)
            stop.set()

        return Program(
            run=run,
            drain=drain,
            redis=redis_check(first.redis, links.lock, credentials, janitor.monitors),
            routes=oldest_routes(janitor.monitors),
        )

    return Role(
        log=log,
        started=Event.JANITOR_STARTED,
        stopped=Event.JANITOR_STOPPED,
        fields={"pipelines": len(pipelines), "environment": first.environment},
        limits=Limits(LIVE_LIMIT),
        build=build,
        files_changed=files_changed,
    )


def _set(readiness: Readiness, *, answers: bool) -> None:
    if answers:
        readiness.release(NotReady.STARTING)
        readiness.release(NotReady.REDIS_ABSENT)
    else:
        readiness.hold(NotReady.REDIS_ABSENT)
