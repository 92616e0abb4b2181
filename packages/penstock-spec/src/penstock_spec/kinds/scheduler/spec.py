"""The model of a scheduler."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from penstock_spec.kinds.scheduler.cleanup import Cleanup
from penstock_spec.kinds.scheduler.failures import Failures
from penstock_spec.kinds.scheduler.job import JobDefaults, Jobs
from penstock_spec.kinds.scheduler.keys import KeyNames
from penstock_spec.kinds.scheduler.work import (
    Breakers,
    Health,
    History,
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
from penstock_spec.values.bounds import MIN_1MS
from penstock_spec.values.quantities import Duration
from penstock_spec.values.strings import Field_, Handler, Image, Name

Limit = Annotated[int, about("A number of jobs.", 3, ge=1, le=1000)]


class SchedulerShutdown(Section):
    """How a pod shuts down: it takes no more jobs, cancels running ones, gives them back, and exits."""

    grace: Grace = Duration("30s")
    cancel: Annotated[Duration, about("How long cancelled jobs may take to end.", "10s"), MIN_1MS] = Duration("10s")
    force: Annotated[
        Duration,
        about("How much longer the pod waits for jobs that ignored the cancellation before it abandons them.", "5s"),
        MIN_1MS,
    ] = Duration("5s")
    sidecar_quit_url: SidecarQuitUrl = None


class Scheduler(Section):
    """A scheduler: recurring jobs, and the pods that run them."""

    kind: Annotated[Literal["scheduler"], about("The kind of spec that this file contains.", "scheduler")]
    name: Annotated[
        Name,
        about(
            "The scheduler's name, a DNS label of at most 54 characters. Everything generated from the "
            "spec is named after it.",
            "cache-agents",
        ),
    ]
    owner: Annotated[
        Owner,
        about("The team that is responsible for the scheduler.", {"team": "caching", "contact": "#caching-oncall"}),
    ]
    image: Annotated[
        Image,
        about(
            "The pods' container image, with a digest or a tag other than `latest`.", "registry.example/caching:1.4.2"
        ),
    ]
    jobs: Annotated[
        Jobs,
        about(
            "The jobs, or a function that lists them, as `module:function`. It is called at each refresh.",
            [{"name": "aws/eu-west-1/images", "every": "30s"}],
        ),
    ]
    handler: Annotated[
        Handler | None,
        about("The default handler of jobs, as `module:function`.", "caching.agents:refresh"),
    ] = None
    each: Annotated[JobDefaults, about("Defaults for all jobs.", {"every": "30s"})] = JobDefaults()
    patterns: Annotated[Patterns, about("Which jobs run, by name.", {"disabled": "aws/.*"})] = Patterns()
    shards: Annotated[
        Shards, about("Splits the jobs into parts, for pods that take only some of them.", {"count": 4})
    ] = Shards()
    work: Annotated[SchedulerWork, about("How a pod takes jobs and runs them.", {"concurrency": 100})] = SchedulerWork()
    limits: Annotated[
        dict[Field_, Limit],
        about(
            "By label, how many jobs with the same value of this label run at a time, in all pods together. Jobs "
            "without the label are not limited.",
            {"account": 3},
        ),
    ] = {}
    failures: Annotated[
        Failures, about("When a job runs again after a failed run, and when it is given up.", {"by_class": True})
    ] = Failures()
    jitter: Annotated[Jitter, about("Random delays that spread the load.", {"registration": "30s"})] = Jitter()
    breakers: Annotated[
        Breakers, about("The circuit breakers that stop calls to a failing Redis.", {"failures": 5})
    ] = Breakers()
    recovery: Annotated[
        Recovery, about("How often a pod retries to store next due times that Redis did not accept.", {"attempts": 3})
    ] = Recovery()
    refresh: Annotated[
        Refresh, about("How often registered jobs are compared with the jobs of the spec.", {"every": "30s"})
    ] = Refresh()
    cleanup: Annotated[
        Cleanup, about("The cleanup of hanging jobs and of jobs of lost pods.", {"zombies": {"threshold": "30s"}})
    ] = Cleanup()
    history: Annotated[History, about("The last runs of each job.", {"keep": 20, "age": "7d"})] = History()
    health: Annotated[Health, about("The log summary, and when a pod is degraded.", {"summary": "10m"})] = Health()
    keys: Annotated[KeyNames, about("The names of the keys in Redis.", {"prefix": "caching:"})] = KeyNames()
    replicas: Annotated[int, about("The number of pods.", 3, ge=0, le=10_000)] = 2
    shutdown: Annotated[SchedulerShutdown, about("How a pod shuts down.", {"grace": "30s"})] = SchedulerShutdown()
    resources: Annotated[Resources, about("The CPU and memory of a pod.", {"cpu": "250m", "memory": "256Mi"})] = (
        Resources()
    )
    egress: Egress = []
    alerts: Annotated[SchedulerAlerts, about("When people are alerted.", {"degraded_for": "5m"})] = SchedulerAlerts()
    patches: Annotated[list[Patch], about("Changes to generated manifests. Rules check the patched result.", [])] = []
    acknowledge: Annotated[
        list[Acknowledgement], about("Dangerous changes that are accepted, each with a reason and an end date.", [])
    ] = []
    suppress: Annotated[
        list[Suppression], about("Findings that are accepted, each with a reason and an end date.", [])
    ] = []
    environments: Annotated[
        dict[Name, dict[str, Any]],
        about("Overrides for one environment, as values by path.", {"dev": {"work.concurrency": 10}}),
    ] = {}
