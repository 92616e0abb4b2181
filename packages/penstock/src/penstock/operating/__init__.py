"""What people do who look after pipelines: see how they are, look at messages, send, replay and purge, grant rights."""
