"""Translation edit rate: its options, its scorer, its explanation."""
