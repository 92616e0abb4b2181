"""Rules about changes of a pipeline that can lose messages."""
