"""The page of a metric's Space: score texts or a file, see why, copy the code."""
