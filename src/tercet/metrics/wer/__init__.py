"""Error rates of words and characters: options, scores, explanation."""
