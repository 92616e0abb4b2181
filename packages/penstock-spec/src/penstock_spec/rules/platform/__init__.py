"""Rules about one environment of the platform file."""
