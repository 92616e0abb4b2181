"""The artifacts of a scheduler."""

from __future__ import annotations

from penstock_generate.catalogue import entry
from penstock_generate.pods.catalogue import kubernetes_files, monitoring_files

FILES = (
    entry("worker.json", "The resolved spec of this environment, with a digest", "a pod; Compose"),
    entry("acl.txt", "The users in Redis, with the least rights of each, as commands", "redis-cli"),
    *monitoring_files("scheduler"),
    *kubernetes_files("Its pods; `replicas` sets their number"),
)
