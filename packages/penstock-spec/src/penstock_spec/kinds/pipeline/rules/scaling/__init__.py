"""Rules about the bounds and the pace of scaling."""
