"""What is generated for a pipeline."""

from __future__ import annotations

from penstock_generate.catalogue import LISTING, known

KUBECTL = "kubectl"
FILES = (
    known("worker.json", "The spec as it is in this environment, with a digest", "a pod; the janitor; Compose"),
    known("schema.json", "The JSON Schema of a message", "people; programs that send"),
    known("producer.py", "Types of a message, and how to send one without Penstock", "programs that send"),
    known("acl.txt", "The users in Redis, with the least rights of each, as commands", "redis-cli"),
    known("rules.yaml", "Alerts and recorded queries, with this pipeline's numbers", "Prometheus"),
    known("rules.test.yaml", "For each alert a case below its threshold and one above", "promtool", "rules.yaml"),
    known("dashboard.json", "The dashboard; lines in it are where alerts fire", "Grafana"),
    known("runbook.md", "What to do at each alert, with this pipeline's keys and commands", "people"),
    known("values.yaml", "Values with which `generated/chart` gives the same objects as `manifests/`", "Helm"),
    known("manifests/configmap.yaml", "`worker.json`, for pods to mount", KUBECTL, "worker.json"),
    known("manifests/dashboard.yaml", "`dashboard.json`, for Grafana's sidecar", KUBECTL, "dashboard.json"),
    known("manifests/deployment.yaml", "The workers' pods; how many is the autoscaler's", KUBECTL),
    known("manifests/kustomization.yaml", "The list of the manifests", "kubectl, by `apply -k`"),
    known("manifests/networkpolicy.yaml", "Whom a pod may talk to, and who may scrape it", KUBECTL),
    known("manifests/poddisruptionbudget.yaml", "How many pods may be evicted at a time", KUBECTL),
    known("manifests/podmonitor.yaml", "Where the Prometheus operator scrapes the pods", KUBECTL),
    known("manifests/prometheusrule.yaml", "`rules.yaml`, for the Prometheus operator", KUBECTL, "rules.yaml"),
    known("manifests/scaledobject.yaml", "How KEDA scales the Deployment", KUBECTL),
    known("manifests/serviceaccount.yaml", "The pods' account, which may do nothing in Kubernetes", KUBECTL),
    known("manifests/triggerauthentication.yaml", "Redis's password for KEDA, where there is one", KUBECTL),
    LISTING,
)
