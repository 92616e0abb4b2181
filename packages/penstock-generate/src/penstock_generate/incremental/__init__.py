"""From a repository to the folders of `generated/`: builds only what changed."""
