"""Documentation of google_bleu besides its options."""

from __future__ import annotations

from tercet.metric.metric import About

ABOUT = About(
    compares="the smaller of precision and recall of n-grams",
    description="""\
GLEU, or Google BLEU, counts the n-grams of 1 to 4 tokens that a prediction shares with its reference, all lengths
together, and is the smaller of their precision and recall. Made as a reward for sentences, it needs neither smoothing
nor a penalty for short ones. This module gives the numbers of NLTK and evaluate, with intervals and a signature.
""",
    citation="""\
@article{wu-etal-2016-google,
    title = "Google's Neural Machine Translation System: Bridging the Gap between Human and Machine Translation",
    author = "Wu, Yonghui and Schuster, Mike and Chen, Zhifeng and Le, Quoc V. and Norouzi, Mohammad and others",
    journal = "arXiv preprint arXiv:1609.08144",
    year = "2016",
    url = "https://arxiv.org/abs/1609.08144",
}
""",
    urls=("https://arxiv.org/abs/1609.08144",),
    returns="""\
google_bleu (`float`), as evaluate's google_bleu, and on request segments, intervals and signature.
Attributes of the dict: signature (`str`), n_segments, empty_predictions, missing_references (`int`).
""",
    example="""\
>>> import tercet
>>> gleu = tercet.load("google_bleu")
>>> result = gleu.compute(predictions=["the cat sat down"], references=["the cat sat on the mat"])
>>> round(result["google_bleu"], 4)
0.3333
""",
)
