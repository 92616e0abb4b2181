"""The role of a worker: runs the messages of one pipeline."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path

from penstock import __version__
from penstock.handling.load import load
from penstock.isolation.pool import ChildPool
from penstock.message.encoding import encoding_of
from penstock.observe.events import Event
from penstock.observe.logs import Log
from penstock.observe.metrics import Metrics
from penstock.pod.lease_term import LeaseTerm
from penstock.pod.role import Limits, Pod, Program, Role
from penstock.resolved import ResolvedPipeline
from penstock.worker.in_child import config_of
from penstock.worker.memory import MeasuredMemory, available_memory, free_memory, own_memory
from penstock.worker.worker import Worker
from penstock_spec.kinds.pipeline.metrics import process, working

LIVE_LIMIT = 10.0
"""Seconds for `/livez`, unless messages may take longer."""


def worker_role(
    pipeline: ResolvedPipeline, paths: Sequence[Path], log_format: str, *, until_idle: bool = False
) -> Role:
    """Import the handler, from the current folder or from `paths`. Raises CannotGoOn."""
    pipeline = pipeline.with_schema()
    spec, digest = pipeline.spec, pipeline.digest
    handler = load(spec, paths)
    encoding = encoding_of(spec.message, pipeline.message_schema())
    fatal = spec.work.timeout.seconds + spec.shutdown.margin.seconds

    def build(pod: Pod) -> Program:
        metrics = Metrics.of_spec("worker", spec, pod.collector)
        per_message = None if (limit := spec.work.memory_limit) is None else limit.amount
        pod.announce(metrics, digest, process.INFO, working.LOOP_LAG_SECONDS)
        term, term_file = LeaseTerm.shared()
        children = ChildPool(
            "penstock.worker.in_child:program",
            config_of(pipeline, log_format, term_file),
            memory_limit=per_message,
            path=[str(path.resolve()) for path in (Path.cwd(), *paths)],
            kept=(term_file,),
        )
        dependencies = pod.dependencies(pipeline, metrics, process.REDIS_SECONDS)
        memory = MeasuredMemory(free_memory, own_memory, available=available_memory, per_message=per_message)
        worker = Worker(
            pipeline,
            handler,
            encoding,
            dependencies,
            spawner=children,
            memory=memory,
            term=term,
            until_idle=until_idle,
        )
        return Program(
            run=worker.run,
            drain=worker.stop,
            redis=pod.redis_check(pipeline, "XPENDING", pipeline.keys.stream, pipeline.keys.group),
            is_busy=lambda: worker.busy > 0,
        )

    return Role(
        log=Log(logging.getLogger("penstock.worker")),
        started=Event.WORKER_STARTED,
        stopped=Event.WORKER_STOPPED,
        fields={"environment": pipeline.environment, "version": __version__, "digest": digest},
        limits=Limits(max(LIVE_LIMIT, fatal), fatal, spare_start=True),
        build=build,
        sidecar_quit_url=spec.shutdown.sidecar_quit_url,
    )
