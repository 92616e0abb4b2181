"""The artifacts of a scheduler."""

from __future__ import annotations

from penstock_generate.catalogue import known
from penstock_generate.pods.catalogue import run, watched

FILES = (
    known("worker.json", "The spec as it is in this environment, with a digest", "a pod; Compose"),
    known("acl.txt", "The users in Redis, with the least rights of each, as commands", "redis-cli"),
    *watched("scheduler"),
    *run("Its pods, as many as `replicas` says"),
)
