"""When jobs run, and for how long."""
