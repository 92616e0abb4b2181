"""Maintains a pipeline's group. Workers and the janitor both do this, so that either may be missing."""
