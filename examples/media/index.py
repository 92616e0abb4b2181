"""Which pictures lie together. It stands here for a vector database."""

from __future__ import annotations

from collections import defaultdict
from uuid import UUID

from .models import ClusterJob


class Index:
    """Pictures by pet."""

    def __init__(self) -> None:
        """Start with nothing."""
        self.clusters: dict[UUID, set[UUID]] = defaultdict(set)
        self.fences: dict[str, int] = {}

    async def add(self, job: ClusterJob, *, fence: int) -> int:
        """How many pictures are new; none when a later delivery of the same job was here before."""
        if fence < self.fences.get(job.job_id, 0):
            return 0
        self.fences[job.job_id] = fence
        before = len(self.clusters[job.pet_id])
        self.clusters[job.pet_id].update(job.image_ids)
        return len(self.clusters[job.pet_id]) - before
