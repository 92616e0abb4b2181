"""Rules about schedulers."""
