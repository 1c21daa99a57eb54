"""Why two packages give two scores for the same texts: by which rules they differ."""
