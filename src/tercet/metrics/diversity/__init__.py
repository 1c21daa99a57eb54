"""Diversity of a set of texts: its options, its scorer, its explanation."""
