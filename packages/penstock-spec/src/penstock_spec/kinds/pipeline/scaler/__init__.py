"""The ScaledObject that follows from a spec, the patches over it, and what KEDA will read of it."""
