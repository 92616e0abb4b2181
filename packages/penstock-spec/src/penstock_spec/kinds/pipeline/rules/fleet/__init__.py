"""Rules over all pipelines of an environment."""
