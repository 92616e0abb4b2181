"""What a change of specs comes to, in words."""
