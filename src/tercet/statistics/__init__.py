"""From rows to intervals and tests: exact sums, draws, the bootstrap, paired tests."""
