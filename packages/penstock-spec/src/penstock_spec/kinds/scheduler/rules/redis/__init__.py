"""Rules about the scheduler's keys in Redis."""
