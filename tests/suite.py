"""What tests know of each metric: written by hand in tests/<short name>/facts.py, and not read from the source."""

import runpy
from pathlib import Path
from typing import Any, NamedTuple


class Known(NamedTuple):
    """A metric as its users know it."""

    short: str  # the short name: that of its folder of tests
    name: str
    cls: str  # its class
    primary: str  # the score that stands for the metric
    options: list[dict[str, Any]]  # with which what holds for every metric is tested: the usual ones first
    chosen: dict[str, Any]  # that give another score than those with which a page begins
    statistics: list[dict[str, Any]] = []  # noqa: RUF012  further ways to a score, with intervals and tests
    needed: dict[str, Any] = {}  # noqa: RUF012  without which it refuses to score
    begun: dict[str, Any] = {}  # noqa: RUF012  what its page begins with, where the metric has no default
    extras: str = ""  # of the package that its Space needs
    is_share: bool = True  # scores are shares of 1, which a perfect match has
    nothing: float = 0.0  # the score of a text without a match: where lower is better, every word is an edit
    unanswered: float | None = None  # the score of two words that are compared with nothing, where it is another
    has_scale: bool = True  # the option has an effect
    least: float = 0.0  # the least score, of a share
    takes_references: bool = True
    any_order: bool = True  # of several references: none of them is preferred for its place
    loads_model: bool = False  # a network, with which a test takes long
    tolerance: float = 0.0  # what the neighbours of a text in a batch may change
    relative: float = 0.0  # likewise, as a share of a score that has no bound


_FACTS = {path.parent.name: runpy.run_path(str(path)) for path in sorted(Path(__file__).parent.glob("*/facts.py"))}

SUITE = {facts["KNOWN"]["name"]: Known(short, **facts["KNOWN"]) for short, facts in _FACTS.items()}

#: Those that compare with references.
COMPARING = [metric for metric, known in SUITE.items() if known.takes_references]

#: A metric without and one with a network, for what all metrics share but these two may do otherwise.
UNLIKE = ["bleu_multi", "bertscore_idf"]
