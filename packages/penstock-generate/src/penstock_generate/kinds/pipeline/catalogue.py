"""The artifacts of a pipeline."""

from __future__ import annotations

from penstock_generate.catalogue import known
from penstock_generate.pods.catalogue import KUBECTL, run, watched

FILES = (
    known("worker.json", "The spec as it is in this environment, with a digest", "a pod; the janitor; Compose"),
    known("schema.json", "The JSON Schema of a message", "people; programs that send"),
    known("producer.py", "Types of a message, and how to send one without Penstock", "programs that send"),
    known("acl.txt", "The users in Redis, with the least rights of each, as commands", "redis-cli"),
    *watched("pipeline"),
    *run(
        "The workers' pods; how many is the autoscaler's",
        known("manifests/scaledobject.yaml", "How KEDA scales the Deployment", KUBECTL),
        known("manifests/triggerauthentication.yaml", "Redis's password for KEDA, where there is one", KUBECTL),
    ),
)
