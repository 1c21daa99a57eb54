"""Metrics as users write them: names with options, columns of scores, means of several."""
