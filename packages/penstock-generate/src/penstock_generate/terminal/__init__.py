"""What the verbs share: options, the repository here, and the output of a run."""
