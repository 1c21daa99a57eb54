"""The metrics: a room for each."""
