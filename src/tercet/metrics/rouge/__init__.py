"""ROUGE: the metric, its options, what is counted, and the packages whose numbers it can give."""
