"""Texts that arrive in parts, in one process or in several, of which sums are kept: Stream, its file, Ray.

A corpus that is all there is counted in pieces by `base/pieces.py`.
"""
