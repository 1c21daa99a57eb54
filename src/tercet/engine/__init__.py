"""Texts to rows of counts: compiled (`_engine`), and the same functions in plain Python (`plain`)."""
