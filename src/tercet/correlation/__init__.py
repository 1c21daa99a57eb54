"""Metrics against human grades: which metric to trust, the best mean of metrics, the best layer."""
