"""An index of similar pictures. A real one would be a vector database."""

from __future__ import annotations

from collections import defaultdict
from uuid import UUID

from .models import ClusterJob


class Index:
    """The pictures of each pet."""

    def __init__(self) -> None:
        """Create an empty index."""
        self.clusters: dict[UUID, set[UUID]] = defaultdict(set)
        self.fences: dict[str, int] = {}

    async def add(self, job: ClusterJob, *, fence: int) -> int:
        """Add the pictures and return how many are new. After a later delivery of the same job, add none."""
        if fence < self.fences.get(job.job_id, 0):
            return 0
        self.fences[job.job_id] = fence
        before = len(self.clusters[job.pet_id])
        self.clusters[job.pet_id].update(job.image_ids)
        return len(self.clusters[job.pet_id]) - before
