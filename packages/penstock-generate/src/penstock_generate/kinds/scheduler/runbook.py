"""`runbook.md` of a scheduler: what to check and what to do, with its own numbers, keys and commands."""

from __future__ import annotations

from markupsafe import Markup

from penstock_generate.inputs.plan import PlannedSpec
from penstock_generate.kinds.scheduler.alerts import Alert
from penstock_generate.pods.facts import Facts
from penstock_generate.pods.runbook import common_values, words
from penstock_generate.rendering.artifact import Artifact
from penstock_generate.rendering.templates import Templates
from penstock_spec.kinds.scheduler.effective import jobs_of
from penstock_spec.kinds.scheduler.keys import SchedulerKeys
from penstock_spec.kinds.scheduler.spec import Scheduler

ANY = "JOB"
"""The example job in commands, if a function lists the jobs."""


def runbook(it: PlannedSpec, facts: Facts, alerts: list[Alert], templates: Templates) -> Artifact:
    """The file."""
    spec: Scheduler = it.spec
    jobs = [job.name for job in jobs_of(spec)]
    one = jobs[0] if jobs else ANY
    names = {alert.name for alert in alerts}

    def see(name: str) -> Markup:
        """A link to an alert's section; only its name if this spec has no such alert."""
        link = Markup("[{}](#{})") if name in names else Markup("{}")
        return link.format(name, name.lower())

    own = {
        "see": see,
        "keys": SchedulerKeys.of(spec.keys),
        "jobs": len(jobs) if isinstance(spec.jobs, list) else None,
        "job": one,
        "of_job": words(spec.name, one, "--env", it.environment),
    }
    name = "scheduler/runbook.md"
    return templates.artifact(f"{it.folder}/runbook.md", name, common_values(it, facts, alerts) | own)
