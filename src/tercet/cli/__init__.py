"""The ``tercet`` command."""
