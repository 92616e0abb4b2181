"""Rules about workers, leases and shutdown."""
