"""Alerts on the pods of a scheduler."""

from __future__ import annotations

from collections.abc import Iterator

from penstock_generate.alerts.define import QUARTER, Alert, Query, Series
from penstock_generate.pods.alerts import loop_lag, redis_errors
from penstock_spec.kinds.scheduler.metrics import process
from penstock_spec.kinds.scheduler.spec import Scheduler


def of(spec: Scheduler, ours: Series, deployment: Series) -> Iterator[Alert]:
    """The alerts of a spec."""
    if spec.replicas > 0:
        yield Alert(
            "PenstockSchedulerAbsent",
            "critical",
            ours.missing(process.INFO),
            ">=",
            1,
            3,
            "No pod of the scheduler is running.",
            "No job runs; due jobs wait.",
        )
        ready = deployment.gauge("kube_deployment_status_replicas_ready")
        yield Alert(
            "PenstockReplicasBehind",
            "warning",
            Query(f"{spec.replicas} - {ready.text}", lambda value: ready.test_series(spec.replicas - value)),
            ">",
            0,
            10,
            "Fewer pods are ready than the spec asks for.",
            f"Missing pods: {{value}} of {spec.replicas} (`replicas`). Check nodes, quota and the image.",
        )
    yield Alert(
        "PenstockLeasesLost",
        "warning",
        ours.increase(process.LEASE_LOST, QUARTER),
        ">=",
        3,
        0,
        "Pods lose their leases.",
        f"Failures to renew a lease for {spec.work.lease} (`work.lease`): {{value}}. The jobs ran elsewhere.",
    )
    yield loop_lag(ours, process.LOOP_LAG_SECONDS)
    yield redis_errors(ours, process.REDIS_ERRORS)
