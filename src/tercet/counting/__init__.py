"""What texts share: n-grams, skip-bigrams and longest common subsequences, as kernels and their callers."""
