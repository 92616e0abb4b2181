"""Messages: stream entries with a body and Penstock's own fields."""
