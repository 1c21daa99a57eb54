"""Hub Spaces of the suite's metrics."""
