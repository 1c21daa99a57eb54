"""Corpora larger than memory or than a process: one accumulator, one file, Ray."""
