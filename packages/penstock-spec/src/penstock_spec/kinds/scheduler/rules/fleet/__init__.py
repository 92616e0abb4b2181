"""Schedulers beside what else there is in an environment."""
