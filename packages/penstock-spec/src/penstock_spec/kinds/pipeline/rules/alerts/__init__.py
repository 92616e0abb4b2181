"""Rules about alerts and their routes."""
