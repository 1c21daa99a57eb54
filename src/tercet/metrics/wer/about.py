"""Documentation of wer besides its options."""

from __future__ import annotations

from tercet.metric.metric import About

ABOUT = About(
    compares="words and characters inserted, deleted, substituted",
    description="""\
The word error rate is the number of words that are inserted, deleted or substituted, per word of the reference; with
it come the rates of characters and matches, and the word information lost. This module gives the numbers of jiwer,
which evaluate's wer and cer call, with intervals, an alignment of each text and a signature.
""",
    citation="""\
@inproceedings{morris-etal-2004-wer,
    title = "From {WER} and {RIL} to {MER} and {WIL}: Improved Evaluation Measures for Connected Speech Recognition",
    author = "Morris, Andrew Cameron and Maier, Viktoria and Green, Phil",
    booktitle = "Interspeech 2004",
    year = "2004",
    url = "https://www.isca-archive.org/interspeech_2004/morris04_interspeech.html",
    pages = "2765--2768",
}
""",
    urls=("https://www.isca-archive.org/interspeech_2004/morris04_interspeech.html",),
    returns="""\
wer, cer, mer, wil (`float`): lower is better; wip (`float`): 1 - wil; hits, substitutions,
deletions, insertions (`int`) of words; and on request segments, intervals and signature.
Attributes of the dict: signature (`str`), n_segments, empty_predictions, missing_references (`int`).
""",
    example="""\
>>> import tercet
>>> wer = tercet.load("wer")
>>> result = wer.compute(predictions=["a cat on mat"], references=["a cat on the mat"])
>>> result["wer"], result["cer"]
(0.2, 0.25)
""",
)
