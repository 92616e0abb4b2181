"""The JSON Schema of messages: where to find it, whether it is valid, and what it describes."""
