"""Files of texts -> test sets: systems, references and sources, ready to score and to compare."""
