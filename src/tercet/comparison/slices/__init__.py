"""Scores of slices, such as domains: computed, tested, and shown as a section."""
