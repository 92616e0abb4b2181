"""Makes the runtime observable: metrics, health, logs and traces."""
