"""Describes the changes between two states of `generated/` in words."""
