"""BERTScore: the metric, its options, matching of embeddings, weights of tokens."""
