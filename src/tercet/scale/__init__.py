"""The public path of ``tercet.scale.ray``, whose code is in ``sums``."""
