"""Systems side by side: scores, intervals and tests."""
