"""Adds pictures of a pet to the cluster of similar pictures."""

from __future__ import annotations

import logging
from typing import Protocol

from .index import Index
from .models import ClusterJob

log = logging.getLogger(__name__)
index = Index()


class Context(Protocol):
    """The part of the runtime's context that this handler uses."""

    @property
    def fence(self) -> int:
        """A fencing token that grows with each delivery of a message. An effect with a lower one is outdated."""


async def cluster(job: ClusterJob, context: Context) -> None:
    """Add the pictures. Running the same job again changes nothing."""
    added = await index.add(job, fence=context.fence)
    log.info("%s of %s pictures are new", added, len(job.image_ids))
