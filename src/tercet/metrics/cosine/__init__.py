"""Cosine similarity of the embeddings of a text and its reference."""
