"""Shared by the verbs: options, the repository here, and the output of a run."""
