"""The messages of the media service."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field


class Origin(BaseModel):
    """The origin of a job."""

    model_config = ConfigDict(extra="allow")

    emitted_at: datetime
    source: Annotated[str, Field(min_length=1, examples=["auth-service"])]
    trace_id: str | None = None


class ClusterJob(BaseModel):
    """Pictures of one pet to add to a cluster."""

    model_config = ConfigDict(extra="allow")

    job_id: Annotated[str, Field(pattern="^[0-9A-HJKMNP-TV-Z]{26}$", description="A ULID.")]
    pet_id: UUID
    image_ids: Annotated[list[UUID], Field(min_length=1)]
    reason: str
    force: Annotated[bool, Field(description="Process pictures again that already have a cluster.")] = False
    quality_score: Annotated[float | None, Field(ge=0, le=1)] = None
    metadata: Origin
