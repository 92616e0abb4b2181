"""The janitor: what has to go on in the pipelines of an environment, also while no worker runs."""
