"""Corpora larger than memory: exact sums that merge, as objects, as files, and as Arrow tables for other engines."""
