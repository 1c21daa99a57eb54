"""Words of every verdict and table: clauses, and how many decimals a number is shown with."""
