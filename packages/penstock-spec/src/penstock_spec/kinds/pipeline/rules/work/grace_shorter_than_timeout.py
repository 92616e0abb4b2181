"""The grace period is shorter than the timeout plus the margin.

Kubernetes sends SIGKILL when `shutdown.grace` ends, even if a message is still running. After SIGTERM a handler may
run for `work.timeout`. The worker needs the end of the grace period, `shutdown.margin`, to give back unfinished
messages and close connections. A preStop hook, if a patch adds one, uses up grace before the worker receives SIGTERM.
An interrupted message runs again elsewhere, from the beginning.

Set `shutdown.grace` to at least `work.timeout` plus `shutdown.margin` plus the preStop hook, or shorten `work.timeout`.
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
    if not shutdown.margin < shutdown.grace < needed:  # `margin-not-below-grace` reports a longer margin
        return
    of_hook = f"patches[{patch}].path"
    at = subject.first_set("shutdown.grace", "work.timeout", "shutdown.margin", *([of_hook] if hook.amount else []))
    message = f"`work.timeout` is {timeout} ({subject.line('work.timeout')}) and `shutdown.margin` {shutdown.margin}"
    if hook.amount:
        message += f", after a preStop hook of {hook} ({subject.line(of_hook)})"
    if at != "shutdown.grace":
        message += f"; `shutdown.grace` is {shutdown.grace} by default"
    yield subject.problem(at, message, f"set `shutdown.grace` to at least `{needed}`")
