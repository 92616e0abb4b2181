"""What is generated for a scheduler."""

from __future__ import annotations

from penstock_generate.catalogue import LISTING, known

FILES = (known("worker.json", "The spec as it is in this environment, with a digest", "a pod"), LISTING)
