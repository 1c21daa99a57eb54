"""Human grades beside metrics."""
