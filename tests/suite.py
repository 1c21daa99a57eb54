"""What tests know of each metric: written here by hand, and not read from the source."""

from typing import NamedTuple


class Known(NamedTuple):
    """A metric as its users know it."""

    short: str  # the short name
    primary: str  # the score that stands for the metric
    is_share: bool = True  # scores are shares of 1, which a perfect match has
    nothing: float = 0.0  # the score of a text without a match: where lower is better, every word is an edit
    takes_references: bool = True
    loads_model: bool = False  # a network, with which a test takes long


SUITE = {
    "bleu_multi": Known("bleu", "bleu"),
    "chrf_multi": Known("chrf", "chrf"),
    "ter": Known("ter", "ter", is_share=False, nothing=100.0),
    "rouge_nlws": Known("rouge", "rouge1"),
    "bleu_rouge_f": Known("bleu_rouge", "bleu_rouge_f"),
    "jaccard_sets": Known("jaccard", "jaccard"),
    "bertscore_idf": Known("bertscore", "mean_f1", loads_model=True),
    "embedding_cosine": Known("cosine", "cosine", loads_model=True),
    "perplexity_lm": Known("perplexity", "perplexity", is_share=False, takes_references=False, loads_model=True),
}

#: Those that compare with references.
COMPARING = [metric for metric, known in SUITE.items() if known.takes_references]

#: A metric without and one with a network, for what all metrics share but these two may do otherwise.
UNLIKE = ["bleu_multi", "bertscore_idf"]
