"""Rules about all pipelines of an environment together."""
