"""Documentation of jaccard_sets besides its options."""

from __future__ import annotations

from tercet.metric.metric import About

ABOUT = About(
    compares="words, stems or n-grams in both texts",
    description="""\
The Jaccard similarity of two texts is the number of different words that occur in both, divided by the number of
different words that occur in either. This module compares words of any script, stems, lemmas, n-grams or characters,
as sets or as multisets, several of these in one call, and adds intervals and a signature.
""",
    citation="""\
@article{jaccard-1901-etude,
    title = "Etude comparative de la distribution florale dans une portion des Alpes et du Jura",
    author = "Jaccard, Paul",
    journal = "Bulletin de la Soci{\\'e}t{\\'e} vaudoise des sciences naturelles",
    volume = "37",
    number = "142",
    pages = "547--579",
    year = "1901",
}
""",
    urls=("https://doi.org/10.5169/seals-266450",),
    returns="""\
jaccard (`float`): the mean over the items,
jaccard_micro (`float`): the sum of the sizes of all intersections over the sum of the sizes of all unions,
jaccard_<name> and jaccard_<name>_micro (`float`) for each variant,
and on request segments, intervals and signature.
Attributes of the dict: signature (`str`), n_segments, empty_predictions, missing_references (`int`).
""",
    example="""\
>>> import tercet
>>> jaccard = tercet.load("jaccard_sets")
>>> result = jaccard.compute(
...     predictions=["the cat is on the mat"], references=["the cat is lying on the mat"]
... )
>>> round(result["jaccard"], 4)
0.8333
""",
)
