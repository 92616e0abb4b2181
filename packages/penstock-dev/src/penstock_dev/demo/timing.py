"""The duration of a message in the demo."""

LEAST, SPREAD = 0.25, 0.5
"""Minimum seconds, and the range above it."""
