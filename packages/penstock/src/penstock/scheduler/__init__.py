"""Runs a scheduler's jobs: they are in sorted sets, scripts move them, and the pod that acquired a job runs it."""
