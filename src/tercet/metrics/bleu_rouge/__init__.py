"""F of BLEU and ROUGE: its options, its scorer, its explanation."""
