"""Documentation of chrf_multi besides its options."""

from __future__ import annotations

from tercet.metric.metric import About
from tercet.metric.papers import POST_2018

ABOUT = About(
    compares="n-grams of characters and words shared with a reference",
    description="""\
chrF compares n-grams of 1 to 6 characters in a prediction and its reference, by an F that weighs recall twice as much
as precision. chrF++ adds n-grams of 1 and 2 words. It needs no tokenizer, and suits languages with many word forms.
This module gives sacrebleu's numbers, chrF and chrF++ in one pass, intervals, and a signature that says how the
score was computed.
""",
    citation="""\
@inproceedings{popovic-2015-chrf,
    title = "chr{F}: character n-gram {F}-score for automatic {MT} evaluation",
    author = "Popovi{\\'c}, Maja",
    booktitle = "Proceedings of the Tenth Workshop on Statistical Machine Translation",
    year = "2015",
    url = "https://aclanthology.org/W15-3049",
    pages = "392--395",
}
@inproceedings{popovic-2017-chrf,
    title = "chr{F}++: words helping character n-grams",
    author = "Popovi{\\'c}, Maja",
    booktitle = "Proceedings of the Second Conference on Machine Translation",
    year = "2017",
    url = "https://aclanthology.org/W17-4770",
    pages = "612--618",
}
"""
    + POST_2018,
    urls=("https://aclanthology.org/W15-3049", "https://aclanthology.org/W17-4770"),
    returns="""\
chrf (`float`), and `chrf_w<order>` for each further order of words,
score (`float`, the same as chrf), char_order and word_order (`int`), beta, as evaluate's chrf,
and on request segments, intervals and signature.
Attributes of the dict: signature (`str`), n_segments, empty_predictions, missing_references (`int`).
""",
    example="""\
>>> import tercet
>>> chrf = tercet.load("chrf_multi")
>>> predictions = ["The NASA Opportunity rover is fighting a massive storm on Mars ."]
>>> references = [["The NASA Opportunity rover is battling a massive dust storm on Mars ."]]
>>> result = chrf.compute(predictions=predictions, references=references, word_order=[0, 2])
>>> round(result["chrf"], 2), round(result["chrf_w2"], 2)
(75.49, 75.83)
""",
)
