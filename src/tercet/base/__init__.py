"""What a metric is: a value with options, a call, rows of counts and scores of their sums."""
