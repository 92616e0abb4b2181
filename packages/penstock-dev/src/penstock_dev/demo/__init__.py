"""`make demo`: media-cluster under traffic, with a worker killed half-way, and an account of every message."""
