"""Where everything of a pipeline stands in Redis: one and the same for workers, for rights and for runbooks."""

from __future__ import annotations

from penstock_spec.kinds.pipeline.keys import PARKED, READY, STATES, SUSPECT, PipelineKeys

__all__ = ["PARKED", "READY", "STATES", "SUSPECT", "PipelineKeys"]
