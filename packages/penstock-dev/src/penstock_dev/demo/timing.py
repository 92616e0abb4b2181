"""How long a message takes in the demo."""

LEAST, SPREAD = 0.25, 0.5
"""Seconds: this much, and up to so much more."""
