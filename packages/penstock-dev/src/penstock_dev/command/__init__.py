"""The commands of this package; `penstock` has them when the package is installed."""
