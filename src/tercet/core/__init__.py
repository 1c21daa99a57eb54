"""What every metric is made of: options, batches of texts, statistics of segments, signatures, results."""
