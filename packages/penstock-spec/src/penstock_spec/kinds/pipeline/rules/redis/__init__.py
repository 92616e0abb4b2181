"""Rules about what the environment's Redis can do."""
