"""What the media service sends."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field


class Origin(BaseModel):
    """Where a job comes from."""

    model_config = ConfigDict(extra="allow")

    emitted_at: datetime
    source: Annotated[str, Field(min_length=1, examples=["auth-service"])]
    trace_id: str | None = None


class ClusterJob(BaseModel):
    """Pictures of one pet that are to be put where they belong."""

    model_config = ConfigDict(extra="allow")

    job_id: Annotated[str, Field(pattern="^[0-9A-HJKMNP-TV-Z]{26}$", description="A ULID.")]
    pet_id: UUID
    image_ids: Annotated[list[UUID], Field(min_length=1)]
    reason: str
    force: Annotated[bool, Field(description="Also pictures that have a place already.")] = False
    quality_score: Annotated[float | None, Field(ge=0, le=1)] = None
    metadata: Origin
