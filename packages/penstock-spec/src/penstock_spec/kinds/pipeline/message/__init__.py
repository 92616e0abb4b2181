"""A message's JSON Schema: where it stands, whether it is one, and what it says."""
