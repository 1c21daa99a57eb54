"""The metrics: a file for each, or a folder, named as its short name."""
