"""trackio: scores, intervals and signatures as entries of a run, segments as a table."""

from __future__ import annotations

from tercet.comparison.result import Comparison
from tercet.errors import needs
from tercet.result import Result

from .shared import entries

needs("tercet.harnesses.trackio", "", "trackio")

import trackio


def log(found: Result | Comparison) -> None:
    """Log what :func:`tercet.score` or :func:`tercet.compare` returned to the current run.

    A result becomes ``<metric>/<score>``, ``_low``, ``_high`` and ``<metric>/signature``, and a table of the segments
    that it has; a comparison becomes ``<system>/<score>``, and tables of its systems and its segments.
    """
    trackio.log(entries(found, trackio.Table))
