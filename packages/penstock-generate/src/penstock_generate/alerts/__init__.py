"""Alerts: what they are, and the rules and tests that follow from them, for pipelines and for environments."""
