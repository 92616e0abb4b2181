"""How pods take jobs, and how they leave."""
