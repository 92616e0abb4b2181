"""The Redis keys of a pipeline: workers, Redis rights and runbooks use the same ones."""

from __future__ import annotations

from penstock_spec.kinds.pipeline.keys import PARKED, READY, STATES, SUSPECT, PipelineKeys

__all__ = ["PARKED", "READY", "STATES", "SUSPECT", "PipelineKeys"]
