"""Rules of reading: whether a file can be read at all."""
