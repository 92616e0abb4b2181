"""Rules about failed runs and failure classes."""
