"""What workers and the janitor both do for a group, so that it goes on while either of them is away."""
