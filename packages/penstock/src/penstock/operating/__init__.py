"""Code for people on call: status, waiting messages, dead letters, jobs."""
