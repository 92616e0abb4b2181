"""How we speak to Redis: single connections, raw answers, and no repeating of what may have happened."""
