"""The metrics of the suite. A new metric adds a line here, a room, a folder in ``metrics/``, and its public types.

Whatever finds a metric's code by its name does it through this file: a Space, which holds one metric only, gets a
file of the same functions that its builder writes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from .errors import no_metric

if TYPE_CHECKING:  # names of metrics are wanted where nothing is scored, such as in the help of the command
    from .core.options import Options
    from .core.scorer import Scorer
    from .display.matched import Matched


class Entry(NamedTuple):
    """A metric: its room, also its short name; classes in the room's ``scorer`` and ``options``; what it compares."""

    room: str
    scorer: str
    options: str
    about: str


METRICS: Mapping[str, Entry] = {
    "bleu_multi": Entry("bleu", "BleuScorer", "BleuOptions", "n-grams shared with the references"),
    "chrf_multi": Entry(
        "chrf", "ChrfScorer", "ChrfOptions", "n-grams of characters and words shared with a reference"
    ),
    "ter": Entry("ter", "TerScorer", "TerOptions", "word edits and shifts to reach a reference"),
    "rouge_nlws": Entry("rouge", "RougeScorer", "RougeOptions", "n-grams, subsequences and pairs of words shared"),
    "bleu_rouge_f": Entry(
        "bleu_rouge", "BleuRougeScorer", "BleuRougeOptions", "F of BLEU's precision and ROUGE's recall"
    ),
    "jaccard_sets": Entry("jaccard", "JaccardScorer", "JaccardOptions", "words, stems or n-grams in both texts"),
    "bertscore_idf": Entry(
        "bertscore", "BertScorer", "BertscoreOptions", "embeddings of tokens, rare ones weigh more"
    ),
    "embedding_cosine": Entry("cosine", "CosineScorer", "CosineOptions", "embeddings of whole texts"),
    "perplexity_lm": Entry(
        "perplexity", "PerplexityScorer", "PerplexityOptions", "how well a language model predicts each token"
    ),
}

#: The metrics by their short names.
SHORT_NAMES: Mapping[str, str] = {entry.room: metric for metric, entry in METRICS.items()}

#: What metrics take whose code is not here (`api.known_arguments`): there are none, outside of a Space.
ARGUMENTS_ELSEWHERE: Mapping[str, Mapping[str, str]] = {}


def canonical(metric: Any) -> str:
    """Return the full name of a metric, which may be given by its short one.

    Raises
    ------
    OptionError
        On an unknown metric, with the nearest one.

    Examples
    --------
    >>> canonical("bleu"), canonical("rouge_nlws")
    ('bleu_multi', 'rouge_nlws')
    """
    name = SHORT_NAMES.get(metric, metric) if isinstance(metric, str) else ""
    if name not in METRICS:
        raise no_metric(metric, dict.fromkeys([*METRICS, *SHORT_NAMES]))
    return name


def scorer_class(metric: str) -> type[Scorer[Any]]:
    """Return the class that scores."""
    entry = METRICS[canonical(metric)]
    return getattr(import_module(f".{entry.room}.scorer", __package__), entry.scorer)  # type: ignore[no-any-return]


def options_type(metric: str) -> type[Options]:
    """Return the dataclass of a metric's options."""
    entry = METRICS[canonical(metric)]
    return getattr(import_module(f".{entry.room}.options", __package__), entry.options)  # type: ignore[no-any-return]


def explanation(metric: str) -> Callable[..., Any]:
    """Return the function that explains a score."""
    room = METRICS[canonical(metric)].room
    return import_module(f".{room}.explain", __package__).explain  # type: ignore[no-any-return]


def batch_explanation(metric: str) -> Callable[..., Any]:
    """Return the same as a function of a scorer, a batch of one item, and what the scorer learnt from the corpus."""
    return import_module(f".{METRICS[canonical(metric)].room}.explain", __package__).explain_batch  # type: ignore[no-any-return]


def matched(metric: str) -> Callable[[Scorer[Any], str, str | None], Matched] | None:
    """Return what says which tokens a score matches, of a scorer, a score and a tokenizer; None for no tokens."""
    module = import_module(f".{METRICS[canonical(metric)].room}.explain", __package__)
    return getattr(module, "matched", None)
