"""The weighted mean of metrics, as a metric like any other."""
