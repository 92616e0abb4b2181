"""A scheduler, whole."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from penstock_spec.kinds.scheduler.cleanup import Cleanup
from penstock_spec.kinds.scheduler.failures import Failures
from penstock_spec.kinds.scheduler.job import Each, Jobs
from penstock_spec.kinds.scheduler.keys import KeyNames
from penstock_spec.kinds.scheduler.work import (
    Breakers,
    Health,
    Jitter,
    Patterns,
    Recovery,
    Refresh,
    SchedulerAlerts,
    SchedulerWork,
    Shards,
)
from penstock_spec.model import Section, about
from penstock_spec.pods import Egress, Grace, Resources, SidecarQuitUrl
from penstock_spec.sections import Acknowledgement, Owner, Patch, Suppression
from penstock_spec.values.bounds import SOME_TIME
from penstock_spec.values.quantities import Duration
from penstock_spec.values.strings import Handler, Image, Name


class SchedulerShutdown(Section):
    """How a pod leaves: it takes nothing more, cancels what runs, hands it back, and goes."""

    grace: Grace = Duration("30s")
    cancel: Annotated[Duration, about("How long jobs that were told to stop have for it.", "10s"), SOME_TIME] = (
        Duration("10s")
    )
    force: Annotated[
        Duration,
        about("How long what ignored that is waited for once more, before it is left behind.", "5s"),
        SOME_TIME,
    ] = Duration("5s")
    sidecar_quit_url: SidecarQuitUrl = None


class Scheduler(Section):
    """Jobs that run again and again, spread over pods."""

    kind: Annotated[Literal["scheduler"], about("What this file describes.", "scheduler")]
    name: Annotated[
        Name, about("A DNS label of at most 54 characters; the names of all that is made follow it.", "cache-agents")
    ]
    owner: Annotated[Owner, about("Who answers for it.", {"team": "caching", "contact": "#caching-oncall"})]
    image: Annotated[
        Image,
        about("The pods' image, by a tag that is not `latest`, or by a digest.", "registry.example/caching:1.4.2"),
    ]
    jobs: Annotated[
        Jobs,
        about(
            "The jobs; or a function that tells them, as `module:function`, and is asked at each refresh.",
            [{"name": "aws/eu-west-1/images", "every": "30s"}],
        ),
    ]
    handler: Annotated[
        Handler | None,
        about(
            "The function that does the work of jobs that name none, as `module:function`.", "caching.agents:refresh"
        ),
    ] = None
    each: Annotated[Each, about("What holds for every job that does not say otherwise.", {"every": "30s"})] = Each()
    patterns: Annotated[Patterns, about("Which jobs run, by name.", {"disabled": "aws/.*"})] = Patterns()
    shards: Annotated[Shards, about("Parts of the jobs, for pods that take only some.", {"count": 4})] = Shards()
    work: Annotated[SchedulerWork, about("How a pod takes jobs and runs them.", {"concurrency": 100})] = SchedulerWork()
    failures: Annotated[Failures, about("What follows from a failed run.", {"by_class": True})] = Failures()
    jitter: Annotated[Jitter, about("Changes at random.", {"registration": "30s"})] = Jitter()
    breakers: Annotated[Breakers, about("What stops asking a Redis that fails.", {"failures": 5})] = Breakers()
    recovery: Annotated[Recovery, about("Next runs that Redis did not take.", {"attempts": 3})] = Recovery()
    refresh: Annotated[Refresh, about("Holding what is registered against what should be.", {"every": "30s"})] = (
        Refresh()
    )
    cleanup: Annotated[Cleanup, about("What is tidied.", {"zombies": {"threshold": "30s"}})] = Cleanup()
    health: Annotated[Health, about("What a pod says of itself.", {"summary": "10m"})] = Health()
    keys: Annotated[KeyNames, about("What the keys in Redis are called.", {"prefix": "caching:"})] = KeyNames()
    replicas: Annotated[int, about("Pods.", 3, ge=0, le=10_000)] = 2
    shutdown: Annotated[SchedulerShutdown, about("How a pod leaves.", {"grace": "30s"})] = SchedulerShutdown()
    resources: Annotated[Resources, about("What a pod asks for.", {"cpu": "250m", "memory": "256Mi"})] = Resources()
    egress: Egress = []
    alerts: Annotated[SchedulerAlerts, about("When a person is told.", {"degraded_for": "5m"})] = SchedulerAlerts()
    patches: Annotated[list[Patch], about("Changes of generated manifests, checked as the spec is.", [])] = []
    acknowledge: Annotated[list[Acknowledgement], about("Dangerous changes taken on, with an end date.", [])] = []
    suppress: Annotated[list[Suppression], about("Findings taken on, with a reason and an end date.", [])] = []
    environments: Annotated[
        dict[Name, dict[str, Any]],
        about("What is otherwise in an environment, by path.", {"dev": {"work.concurrency": 10}}),
    ] = {}
