"""The worker: reads, runs and settles messages, and loses none."""
