"""The verbs that this package brings; the `penstock` command has them when it is installed."""
