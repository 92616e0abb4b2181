"""Makes one round of a janitor, or reports what it would do."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Coroutine, Sequence
from typing import Any, TypeVar

import uvloop

from penstock.janitor.dry_run import RoundPlan, plan_rounds
from penstock.janitor.janitor import Janitor
from penstock.janitor.kubernetes_pods import KubernetesPods
from penstock.janitor.links import JanitorLinks
from penstock.janitor.reachability import SilentReachability
from penstock.observe.collector import process_collector
from penstock.operating.reach import as_sentence
from penstock.resolved import ResolvedPipeline
from penstock.wire.credentials import Credentials
from penstock.wire.errors import RedisTrouble, Refused

T = TypeVar("T")


def make_round(pipelines: Sequence[ResolvedPipeline], credentials: Credentials) -> int:
    """Make one round over each pipeline, whichever janitor leads; return the exit code."""
    links = JanitorLinks.to(pipelines[0].redis, pipelines, credentials, kind=SilentReachability)
    try:
        succeeded = _run(Janitor(pipelines, links, process_collector(), _pods(pipelines)).once())
    except RedisTrouble as error:
        refused = error.__cause__  # a refusal that counts as unreachable
        raise as_sentence(refused if isinstance(refused, Refused) else error) from error
    return 0 if succeeded else 1


def plan_round(pipelines: Sequence[ResolvedPipeline], credentials: Credentials) -> list[RoundPlan]:
    """Plan a round without changing anything. Raises CannotGoOn if no pipeline can be checked."""

    async def plan() -> list[RoundPlan]:
        links = JanitorLinks.to(pipelines[0].redis, pipelines, credentials)
        try:
            return await plan_rounds(pipelines, [pair.work for pair in links.pairs], _pods(pipelines))
        finally:
            await links.close()

    plans = _run(plan())
    if all(one.trouble for one in plans) and (trouble := plans[0].trouble):
        raise as_sentence(trouble) from trouble
    return plans


def _run(coroutine: Coroutine[Any, Any, T]) -> T:
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(coroutine)


def _pods(pipelines: Sequence[ResolvedPipeline]) -> KubernetesPods:
    return KubernetesPods(pipelines[0].around.namespace, os.environ)
