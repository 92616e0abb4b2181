"""Rules about the message and its schema."""
