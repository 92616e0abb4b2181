"""From a repository to the folders of `generated/`, without making again what is unchanged."""
