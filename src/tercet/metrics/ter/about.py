"""Documentation of ter besides its options."""

from __future__ import annotations

from tercet.metric.metric import About

ABOUT = About(
    compares="word edits and shifts to reach a reference",
    description="""\
The translation edit rate is the number of edits that turn a prediction into its reference, per word of the reference:
words inserted, deleted or substituted, and runs of words shifted to another place. This module gives the numbers of
sacrebleu, in a hundredth of the time or less, with intervals, an explanation of each score and a signature.
""",
    citation="""\
@inproceedings{snover-etal-2006-study,
    title = "A Study of Translation Edit Rate with Targeted Human Annotation",
    author = "Snover, Matthew and Dorr, Bonnie and Schwartz, Rich and Micciulla, Linnea and Makhoul, John",
    booktitle = "Proceedings of the 7th Conference of the Association for Machine Translation in the Americas",
    year = "2006",
    url = "https://aclanthology.org/2006.amta-papers.25",
    pages = "223--231",
}
""",
    urls=("https://aclanthology.org/2006.amta-papers.25",),
    returns="""\
ter (`float`): edits per 100 words of the references; lower is better, and it can exceed 100,
score (`float`), num_edits (`int`), ref_length (`float`), as evaluate's ter; score is the same number,
and on request segments, intervals and signature.
Attributes of the dict: signature (`str`), n_segments, empty_predictions, missing_references (`int`).
""",
    example="""\
>>> import tercet
>>> ter = tercet.load("ter")
>>> result = ter.compute(predictions=["on the mat the cat sat"], references=["the cat sat on the mat"])
>>> round(result["ter"], 2), result["num_edits"], result["ref_length"]
(16.67, 1, 6.0)
""",
)
