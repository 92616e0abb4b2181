"""The artifacts of an environment."""

from __future__ import annotations

from penstock_generate.catalogue import LISTING, known

KUBECTL = "kubectl"
FILES = (
    known("acl.txt", "What pods of schedulers may do for the pipelines that they send to, as commands", "redis-cli"),
    known("rules.yaml", "Alerts on Redis, on KEDA and on a janitor that is missing", "Prometheus"),
    known("rules.test.yaml", "For each alert a case below its threshold and one above", "promtool"),
    known("runbook.md", "What to do at each of these alerts", "people"),
    known("overview.json", "A dashboard of all pipelines beside each other", "Grafana"),
    known("alertmanager.yaml", "Which team hears of what, in Slack and PagerDuty; secrets by file", "Alertmanager"),
    known("compose.yaml", "All pipelines and a Redis on a laptop", "Docker Compose"),
    known("terraform.tfvars.json", "What the infrastructure must provide; secrets by name", "Terraform; people"),
    known("manifests/deployment.yaml", "The janitor's pods", KUBECTL),
    known("manifests/kustomization.yaml", "The list of the manifests", "kubectl, by `apply -k`"),
    known("manifests/networkpolicy.yaml", "Whom a janitor may talk to, and who may scrape it", KUBECTL),
    known("manifests/overview.yaml", "`overview.json`, for Grafana's sidecar", KUBECTL),
    known("manifests/poddisruptionbudget.yaml", "How many janitors may be evicted at a time", KUBECTL),
    known("manifests/podmonitor.yaml", "Where the Prometheus operator scrapes the janitors", KUBECTL),
    known("manifests/prometheusrule.yaml", "`rules.yaml`, for the Prometheus operator", KUBECTL),
    known("manifests/role.yaml", "What a janitor may do in Kubernetes: look at pods", KUBECTL),
    known("manifests/rolebinding.yaml", "That role, for the janitor's account", KUBECTL),
    known("manifests/service.yaml", "The janitors' port", KUBECTL),
    known("manifests/serviceaccount.yaml", "The janitor's account", KUBECTL),
    LISTING,
)
