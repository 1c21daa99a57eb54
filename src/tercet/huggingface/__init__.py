"""Modules of evaluate, and metrics and callbacks of a Trainer."""
