"""Artifacts of specs that run in pods."""

from __future__ import annotations

from collections.abc import Iterator

from penstock_generate.catalogue import LISTING, CatalogueEntry, entry

KUBECTL = "kubectl"


def monitoring_files(whose: str) -> Iterator[CatalogueEntry]:
    """The artifacts for monitoring; `whose` is the kind's name for readers."""
    yield entry("rules.yaml", f"Alerts and recorded queries, with this {whose}'s numbers", "Prometheus")
    yield entry("rules.test.yaml", "For each alert a case below its threshold and one above", "promtool", "rules.yaml")
    yield entry("dashboard.json", "The dashboard; its lines are the thresholds of alerts", "Grafana")
    yield entry("runbook.md", f"What to do at each alert, with this {whose}'s keys and commands", "people")


def kubernetes_files(pods: str, *others: CatalogueEntry) -> Iterator[CatalogueEntry]:
    """The artifacts for Kubernetes; `pods` describes the Deployment, `others` are manifests of only one kind."""
    yield entry("values.yaml", "Values with which `generated/chart` gives the same objects as `manifests/`", "Helm")
    manifests = (
        entry("manifests/configmap.yaml", "`worker.json`, for pods to mount", KUBECTL, "worker.json"),
        entry("manifests/dashboard.yaml", "`dashboard.json`, for Grafana's sidecar", KUBECTL, "dashboard.json"),
        entry("manifests/deployment.yaml", pods, KUBECTL),
        entry("manifests/kustomization.yaml", "The list of the manifests", "kubectl, by `apply -k`"),
        entry("manifests/networkpolicy.yaml", "The connections that a pod may open, and who may scrape it", KUBECTL),
        entry("manifests/poddisruptionbudget.yaml", "How many pods may be evicted at a time", KUBECTL),
        entry("manifests/podmonitor.yaml", "Where the Prometheus operator scrapes the pods", KUBECTL),
        entry("manifests/prometheusrule.yaml", "`rules.yaml`, for the Prometheus operator", KUBECTL, "rules.yaml"),
        entry("manifests/serviceaccount.yaml", "The pods' account, which may do nothing in Kubernetes", KUBECTL),
        *others,
    )
    yield from sorted(manifests, key=lambda one: one.paths)
    yield LISTING
