"""Rules about how pods take jobs and shut down."""
