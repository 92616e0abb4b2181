"""What specs do under traffic: reading it, running it, and telling what came of it."""
