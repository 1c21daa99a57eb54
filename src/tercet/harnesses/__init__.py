"""Adapters for harnesses and loggers, a file each: corpus scores, with intervals where they can be told."""
