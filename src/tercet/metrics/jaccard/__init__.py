"""Jaccard similarity: its options, its scorer, its explanation."""
