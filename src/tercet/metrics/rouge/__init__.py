"""ROUGE: its types, its options, its scorer, its explanation, and the packages whose numbers it can give."""
