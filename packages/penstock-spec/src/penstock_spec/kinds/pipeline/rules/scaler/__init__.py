"""Rules about the ScaledObject that KEDA reads, as the spec and its patches make it."""
