"""The folders of `generated/` on disk: their listings, how they differ, and how they are written."""
