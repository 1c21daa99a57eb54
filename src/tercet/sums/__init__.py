"""Corpora larger than memory or than a process: exact sums and rows that merge, their file, Ray, other engines."""
