"""Cosine similarity: the embedding of a whole text beside that of its reference."""
