"""Rules about an environment of the platform file."""
