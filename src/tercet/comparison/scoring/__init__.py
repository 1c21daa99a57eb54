"""From rows of segments to the scores of a table, each with its interval, rank and difference."""
