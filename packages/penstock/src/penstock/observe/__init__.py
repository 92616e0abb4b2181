"""What the runtime tells about itself: metrics, health, logs and traces."""
