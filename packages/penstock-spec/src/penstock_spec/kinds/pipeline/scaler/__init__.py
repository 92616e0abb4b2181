"""The ScaledObject of a spec with its patches, and how KEDA reads it."""
