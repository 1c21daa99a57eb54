"""What texts share: n-grams, skip-bigrams and longest common subsequences, as the engine counts them."""
