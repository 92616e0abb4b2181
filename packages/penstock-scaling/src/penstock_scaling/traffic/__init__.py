"""Traffic: messages per second, from a pattern or a recorded trace."""
