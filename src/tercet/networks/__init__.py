"""Encoder networks: found by name or folder, loaded once, and run on texts."""
