"""Rules about the environment's Redis: version, slots, connections."""
