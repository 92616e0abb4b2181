"""Rules about workers, leases and graceful shutdown."""
