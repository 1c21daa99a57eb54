"""Human grades beside metrics: which metric to trust; in words, tables and files."""
