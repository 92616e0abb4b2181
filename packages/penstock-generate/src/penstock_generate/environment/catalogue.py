"""The artifacts of an environment."""

from __future__ import annotations

from penstock_generate.catalogue import LISTING, entry

KUBECTL = "kubectl"
FILES = (
    entry("acl.txt", "What pods of schedulers may do for the pipelines that they send to, as commands", "redis-cli"),
    entry("rules.yaml", "Alerts on Redis, on KEDA and on a janitor that is missing", "Prometheus"),
    entry("rules.test.yaml", "For each alert a case below its threshold and one above", "promtool"),
    entry("runbook.md", "What to do at each of these alerts", "people"),
    entry("overview.json", "A dashboard that compares all pipelines", "Grafana"),
    entry(
        "alertmanager.yaml", "Which alert goes to which team, in Slack and PagerDuty; secrets by file", "Alertmanager"
    ),
    entry("compose.yaml", "All pipelines and a Redis on a laptop", "Docker Compose"),
    entry("terraform.tfvars.json", "What the infrastructure must provide; secrets by name", "Terraform; people"),
    entry("manifests/deployment.yaml", "The janitor's pods", KUBECTL),
    entry("manifests/kustomization.yaml", "The list of the manifests", "kubectl, by `apply -k`"),
    entry("manifests/networkpolicy.yaml", "The connections that a janitor may open, and who may scrape it", KUBECTL),
    entry("manifests/overview.yaml", "`overview.json`, for Grafana's sidecar", KUBECTL),
    entry("manifests/poddisruptionbudget.yaml", "How many janitors may be evicted at a time", KUBECTL),
    entry("manifests/podmonitor.yaml", "Where the Prometheus operator scrapes the janitors", KUBECTL),
    entry("manifests/prometheusrule.yaml", "`rules.yaml`, for the Prometheus operator", KUBECTL),
    entry("manifests/role.yaml", "What a janitor may do in Kubernetes: read pods", KUBECTL),
    entry("manifests/rolebinding.yaml", "That role, for the janitor's account", KUBECTL),
    entry("manifests/service.yaml", "The janitors' port", KUBECTL),
    entry("manifests/serviceaccount.yaml", "The janitor's account", KUBECTL),
    LISTING,
)
