"""Adapters for harnesses and loggers, a file each: corpus scores, with intervals where there is a place for them."""
