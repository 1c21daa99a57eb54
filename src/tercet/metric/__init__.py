"""What a metric is: a value with options, rows of counts and scores; how it is explained and drawn."""
