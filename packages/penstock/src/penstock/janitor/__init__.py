"""The janitor: maintains all pipelines of an environment, also while no worker runs."""
