"""What a message is: an entry of a stream, a body, and fields of our own."""
