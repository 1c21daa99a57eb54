"""Numbers of metrics beside grades: figures of how far they agree, their intervals, and tests between metrics."""
