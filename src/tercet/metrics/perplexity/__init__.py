"""Perplexity of texts under a causal language model: its options, its scorer, its explanation."""
