"""GLEU, or Google BLEU: its options, its scorer, its explanation."""
