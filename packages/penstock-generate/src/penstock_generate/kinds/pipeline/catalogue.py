"""The artifacts of a pipeline."""

from __future__ import annotations

from penstock_generate.catalogue import entry
from penstock_generate.pods.catalogue import KUBECTL, kubernetes_files, monitoring_files

FILES = (
    entry("worker.json", "The resolved spec of this environment, with a digest", "a pod; the janitor; Compose"),
    entry("schema.json", "The JSON Schema of a message", "people; programs that send"),
    entry("producer.py", "Types of a message, and how to send one without Penstock", "programs that send"),
    entry("acl.txt", "The users in Redis, with the least rights of each, as commands", "redis-cli"),
    *monitoring_files("pipeline"),
    *kubernetes_files(
        "The workers' pods; the autoscaler sets their number",
        entry("manifests/scaledobject.yaml", "How KEDA scales the Deployment", KUBECTL),
        entry("manifests/triggerauthentication.yaml", "Redis's password for KEDA, if there is one", KUBECTL),
    ),
)
