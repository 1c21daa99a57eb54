"""Documentation of rouge_nlws besides its options."""

from __future__ import annotations

from tercet.metric.metric import About
from tercet.metric.papers import LIN_2004

ABOUT = About(
    compares="n-grams, subsequences and pairs of words shared",
    description="""\
ROUGE compares a text, usually a summary, with its references: shared n-grams (ROUGE-N), the longest common
subsequence (ROUGE-L, by line ROUGE-Lsum), the same with a bonus for runs (ROUGE-W), and pairs of words in their
order with gaps between them (ROUGE-S, with single words ROUGE-SU). This module gives the numbers of rouge_score or of
ROUGE-1.5.5, does not drop texts that are not in Latin letters, and adds intervals and a signature.
""",
    citation=LIN_2004,
    urls=("https://aclanthology.org/W04-1013",),
    returns="""\
one `float` per type (a `list` with `use_aggregator=False`),
and on request segments, intervals and signature.
Attributes of the dict: signature (`str`), n_segments, empty_predictions, missing_references (`int`).
""",
    example="""\
>>> import tercet
>>> rouge = tercet.load("rouge_nlws")
>>> predictions = ["hello there", "general kenobi"]
>>> references = ["hello there", "general kenobi"]
>>> result = rouge.compute(predictions=predictions, references=references, rouge_types=["rouge1", "rougeL"])
>>> result["rouge1"], result["rougeL"]
(1.0, 1.0)
""",
)
