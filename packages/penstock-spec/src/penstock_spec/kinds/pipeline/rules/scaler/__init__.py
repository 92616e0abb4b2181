"""Rules about the ScaledObject that KEDA reads, with the spec's patches applied."""
