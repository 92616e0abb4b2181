"""What arrives: messages in each second, from a pattern or from a trace."""
