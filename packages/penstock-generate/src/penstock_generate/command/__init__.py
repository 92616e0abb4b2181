"""The generator's verbs of the `penstock` command."""
