"""chrF: its options, its scorer, its signature, its explanation."""
