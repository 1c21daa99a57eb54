"""Human grades beside metrics: which metric agrees with them best, and whether that is more than chance."""
