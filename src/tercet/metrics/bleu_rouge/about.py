"""Documentation of bleu_rouge_f besides its options."""

from __future__ import annotations

from tercet.metric.metric import About
from tercet.metric.papers import LIN_2004, PAPINENI_2002

ABOUT = About(
    compares="F of BLEU's precision and ROUGE's recall",
    description="""\
BLEU is a precision: the share of the prediction's n-grams that occur in the references. ROUGE is a recall: the share
of the reference's n-grams that occur in the prediction. This module gives the F of both: for each n-gram length, and
for BLEU-n with the mean of ROUGE-1 to ROUGE-n. It adds intervals and a signature.
""",
    citation=PAPINENI_2002 + LIN_2004,
    urls=("https://aclanthology.org/P02-1040", "https://aclanthology.org/W04-1013"),
    returns="""\
bleu_rouge_f (`float`): the F of bleu_rouge_precision and bleu_rouge_recall,
bleu_rouge_precision (`float`): BLEU, without its brevity penalty unless brevity_penalty=True,
bleu_rouge_recall (`float`): the mean of the recalls of ROUGE-1 to ROUGE-n,
bleu_rouge_f_1, bleu_rouge_f_2 ... (`float`): the F of each order,
bleu_rouge_precisions, bleu_rouge_recalls (`list` of `float`): by order,
and on request segments, intervals and signature.
Attributes of the dict: signature (`str`), n_segments, empty_predictions, missing_references (`int`).
""",
    example="""\
>>> import tercet
>>> both = tercet.load("bleu_rouge_f")
>>> result = both.compute(predictions=["the cat is on the mat"], references=["the cat is lying on the mat"])
>>> round(result["bleu_rouge_f_1"], 4), round(result["bleu_rouge_f"], 4)
(0.9231, 0.8229)
""",
)
