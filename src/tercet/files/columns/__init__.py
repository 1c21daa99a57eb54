"""What a column is, by its name and its cells: a source, references, a system, scores, or human grades."""
