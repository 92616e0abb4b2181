"""Rules about who is told, and when."""
