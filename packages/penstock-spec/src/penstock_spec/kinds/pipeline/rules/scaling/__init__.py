"""Rules about the bounds and speed of scaling, and about `expect`."""
