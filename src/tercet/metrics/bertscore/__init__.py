"""BERTScore: its options, its scorer, IDF weights, baselines, its explanation."""
