"""From texts to rows of counts: compiled, and the same in plain Python."""
