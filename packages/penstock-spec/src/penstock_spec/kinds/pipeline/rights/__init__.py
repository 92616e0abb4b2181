"""The least rights in Redis that each part of a pipeline needs."""
