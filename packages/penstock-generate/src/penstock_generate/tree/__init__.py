"""The folders of `generated/` on disk: what is listed there, how it differs, and how it is written."""
