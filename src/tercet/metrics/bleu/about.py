"""Documentation of bleu_multi besides its options."""

from __future__ import annotations

from tercet.metric.metric import About
from tercet.metric.papers import PAPINENI_2002, POST_2018

ABOUT = About(
    compares="n-grams shared with the references",
    description="""\
BLEU compares the n-grams of a prediction with those of its references: the geometric mean of the clipped
precisions of n-grams of 1 to 4 tokens, times a penalty for predictions shorter than their references. This module
gives the numbers of sacrebleu, of evaluate's bleu or of NLTK, several weightings at once, intervals, and a
signature that says how the score was computed.
""",
    citation=PAPINENI_2002 + POST_2018,
    urls=("https://aclanthology.org/P02-1040", "https://aclanthology.org/W18-6319"),
    returns="""\
bleu (`float`), and `bleu_<name>` for each named weighting,
precisions (`list` of `float`), brevity_penalty (`float`), length_ratio (`float`), translation_length (`int`),
reference_length (`int`), as evaluate's bleu,
and on request segments, intervals, grid and signature.
Attributes of the dict: counts and totals (`list` of `int`: clipped matches and n-grams of each order),
interpretation (`str` or None: what a BLEU of this size roughly means), signature (`str`), n_segments,
empty_predictions, missing_references (`int`).
""",
    example="""\
>>> import tercet
>>> bleu = tercet.load("bleu_multi")
>>> predictions = ["The NASA Opportunity rover is fighting a massive storm on Mars ."]
>>> references = [["The NASA Opportunity rover is battling a massive dust storm on Mars ."]]
>>> result = bleu.compute(predictions=predictions, references=references)
>>> round(result["bleu"], 4), result.counts, result.totals
(0.5312, [11, 8, 5, 3], [12, 11, 10, 9])
""",
)
