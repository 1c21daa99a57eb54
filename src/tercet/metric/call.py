"""The options of a call, the same for every metric."""

from __future__ import annotations

from collections.abc import Iterable

from tercet.checks import MOST_RESAMPLES, integer, number
from tercet.errors import OptionError

from .options import OnlyWith, Value, option

_OF_INTERVALS = OnlyWith("confidence_level", lambda call: call.confidence_level is not None, refused=False)


class Call(Value):
    """The options that every call takes."""

    name = "tercet.score"

    segments: bool = option(default=False, doc="Add the scores of every item to the result.")
    confidence_level: float | None = option(
        default=None,
        check=number("a number above 0 and below 1, such as 0.95", lambda level: 0 < level < 1, none=True),
        doc="Add percentile bootstrap intervals of this level, such as 0.95, to the result.",
    )
    signature: bool = option(
        default=False, doc="Also include the signature as a key of the result. It is an attribute of every `Result`."
    )
    n_resamples: int = option(
        default=1000, check=integer(1, MOST_RESAMPLES), doc="Number of bootstrap resamples.", only_with=_OF_INTERVALS
    )
    seed: int = option(
        default=12345,
        check=integer(0),
        doc="Seed of the resamples: the same seed gives the same interval.",
        only_with=_OF_INTERVALS,
    )
    n_jobs: int = option(
        default=1,
        check=integer(1, 256),
        doc="Threads that work on pieces of the corpus; the result is the same.",
        local=True,
    )


def refuse_all_but_n_jobs(options: Iterable[str], function: str) -> None:
    """Raise an OptionError for what changes a `Result` only, in a function that returns none."""
    for name in options:
        if name in Call.options() and name != "n_jobs":
            raise OptionError(
                f"{name!r} is an option of tercet.score: {function} takes n_jobs and the metric's options."
            )
