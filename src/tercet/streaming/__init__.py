"""Corpora larger than memory or than a process: Stream, its file, Ray."""
