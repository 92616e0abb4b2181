"""The scheduler's keys."""
