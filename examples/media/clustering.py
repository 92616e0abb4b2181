"""Puts the pictures of a pet to the pictures that they resemble."""

from __future__ import annotations

import logging
from typing import Protocol

from .index import Index
from .models import ClusterJob

log = logging.getLogger(__name__)
index = Index()


class Context(Protocol):
    """What this handler asks of the runtime."""

    @property
    def fence(self) -> int:
        """Grows with each delivery of a message; an effect with a smaller one comes too late."""


async def cluster(job: ClusterJob, context: Context) -> None:
    """The same job twice changes nothing the second time."""
    added = await index.add(job, fence=context.fence)
    log.info("%s of %s pictures are new", added, len(job.image_ids))
