"""A pod is killed while it may still work.

Kubernetes sends SIGKILL when `shutdown.grace` is over, whatever still runs. A preStop hook, where a patch adds one,
comes first: the worker hears nothing until it has ended, and the grace runs already. From SIGTERM on a handler may
run for `work.timeout`; the end of the grace, `shutdown.margin`, is needed to give back what remains and to close.
What is cut off runs again elsewhere, from its beginning.

Set `shutdown.grace` to at least the sum of these, or shorten `work.timeout`.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.pre_stop import pre_stop
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule


@spec_rule(Severity.ERROR)
def rule(subject: SpecContext[Pipeline]) -> Iterator[Problem]:
    timeout, shutdown = subject.spec.work.timeout, subject.spec.shutdown
    hook, patch = pre_stop(subject.spec.patches)
    needed = timeout + shutdown.margin + hook
    if not shutdown.margin < shutdown.grace < needed:  # a margin that is no part of the grace has a rule of its own
        return
    of_hook = f"patches[{patch}].path"
    at = subject.written("shutdown.grace", "work.timeout", "shutdown.margin", *([of_hook] if hook.amount else []))
    message = f"work.timeout is {timeout} ({subject.line('work.timeout')}), and draining needs {shutdown.margin} more"
    if hook.amount:
        message += f", after {hook} of preStop ({subject.line(of_hook)})"
    if at != "shutdown.grace":
        message += f"; shutdown.grace is {shutdown.grace} by default"
    yield subject.problem(at, message, f"set `shutdown.grace` to at least `{needed}`")
