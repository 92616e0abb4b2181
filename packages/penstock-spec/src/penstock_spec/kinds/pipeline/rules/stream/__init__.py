"""Rules about the stream, its keys and its retention."""
